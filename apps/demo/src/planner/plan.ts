import type { ProgramLanguage } from "@toolglot/core";
import type { CallPlan, PlannedCall } from "./task.ts";

/** Steps one after another, each made of what may run side by side. */
export interface Plan {
  steps: readonly (readonly Step[])[];
  /** What they come to: the named ones under their names, or an expression without tools. By default it is the only step's value. */
  result?: readonly string[] | (Readonly<Record<ProgramLanguage, string>> & { value: number });
}

/** A value of the input as it is, or made of earlier values: `{hits.0.title}` in the text stands for one, `{item}` for one of `each`. */
type Value = string | number | { from: string };

/** A value with a name: what a tool gives, or what a pattern finds in a text. */
export interface Step {
  name: string;
  tool?: string;
  input?: Readonly<Record<string, Value>>;
  /** The one field of the tool's value that is wanted. */
  take?: string;
  /** A list that was made earlier: one call for each of its items. */
  each?: string;
  /** A list that was made earlier: where it is empty the step is left out, and its value is an empty list. */
  when?: string;
  /** The first group of every match of a pattern, which is valid in both languages. */
  find?: { pattern: string; from: string };
}

type Known = Readonly<Record<string, unknown>>;

const place = /\{([a-z]\w*(?:\.\w+)*)\}/g;

/** What `hits.0.title` stands for. */
const lookUp = (path: string, known: Known): string =>
  String(path.split(".").reduce<unknown>((value, key) => (value as Known | undefined)?.[key], known));

/** Makes the calls of a plan, and returns what it comes to. */
export function* runPlan({ steps, result }: Plan): CallPlan<unknown> {
  const known: Record<string, unknown> = {};
  for (const group of steps) {
    const wanted = group.map((step) => callsOf(step, known));
    const values = wanted.flat().length > 0 ? yield wanted.flat() : [];
    for (const [index, { name, each, find, take }] of group.entries()) {
      const own = values.splice(0, wanted[index]?.length).map((value) => (take ? (value as Known)[take] : value));
      const found = find && [...lookUp(find.from, known).matchAll(new RegExp(find.pattern, "g"))];
      known[name] = found?.map(([, match]) => match) ?? (each ? own : (own[0] ?? []));
    }
  }
  if (result === undefined) return known[steps[0]?.[0]?.name ?? ""];
  return "value" in result ? result.value : Object.fromEntries(result.map((name) => [name, known[name]]));
}

function callsOf({ tool, input = {}, each, when }: Step, known: Known): PlannedCall[] {
  if (tool === undefined || (when && (known[when] as unknown[]).length === 0)) return [];
  const items = each ? (known[each] as unknown[]) : [undefined];
  return items.map((item) => {
    const fill = (_: string, path: string): string => lookUp(path, { ...known, item });
    const values = Object.entries(input).map(([name, value]) => {
      return [name, typeof value === "object" ? value.from.replaceAll(place, fill) : value];
    });
    return { name: tool, input: Object.fromEntries(values) };
  });
}

/** A plan as a program that leaves its value in `__result__`. */
export function writeProgram({ steps, result }: Plan, language: ProgramLanguage): string {
  const [declare, end] = language === "python" ? ["", ""] : ["const ", ";"];
  const lines = steps.flat().map((step) => {
    return `${result ? declare + step.name : "__result__"} = ${writeStep(step, language)}${end}`;
  });
  if (result === undefined) return lines.join("\n");
  const names = "value" in result ? [] : result.map((name) => `"${name}": ${name}`);
  return [...lines, `__result__ = ${"value" in result ? result[language] : `{${names.join(", ")}}`}${end}`].join("\n");
}

function writeStep({ tool = "", input = {}, each, when, find, take }: Step, language: ProgramLanguage): string {
  const python = language === "python";
  const fields = Object.entries(input).map(([name, value]) => name + (python ? "=" : ": ") + write(value, language));
  const short = fields.join(", ");
  const list = short.length < 90 || fields.length < 2 ? short : `\n    ${fields.join(",\n    ")},\n`;
  let text = python ? `${tool}(${list})` : `${tool}({${list === short ? ` ${short} ` : list}})`;
  if (!python && !each) text = `await ${text}`;
  if (take) text = python ? `${text}["${take}"]` : `(${text}).${take}`;
  if (each) text = python ? `[${text} for item in ${each}]` : `await Promise.all(${each}.map((item) => ${text}))`;
  const from = find && writePath(find.from);
  if (find && python) text = `re.findall(r"${find.pattern}", ${from})`;
  else if (find) text = `[...${from}.matchAll(/${find.pattern}/g)].map(([, found]) => found)`;
  if (when) text = python ? `${text} if ${when} else []` : `${when}.length > 0 ? ${text} : []`;
  return text;
}

/** `hits.0.title` as both languages have it. */
const writePath = (path: string): string =>
  path.replaceAll(/\.(?:(\d+)\b|(\w+))/g, (_, at?: string, key?: string) => (at ? `[${at}]` : `["${key}"]`));

function write(value: Value, language: ProgramLanguage): string {
  if (typeof value !== "object") return literal(value, language);
  const pieces = value.from.split(place).map((piece, at) => (at % 2 ? writePath(piece) : literal(piece, language)));
  return pieces.filter((piece) => piece !== '""').join(" + ");
}

/** A text or a number as it is written. It never holds three quotes in a row, since it stands in a TOML literal string. */
function literal(value: string | number, language: ProgramLanguage): string {
  const lines = typeof value === "string" && value.includes("\n") && !/''|[`\\$"]/.test(value);
  if (lines) return language === "python" ? `"""${value}"""` : `\`${value}\``;
  const text = JSON.stringify(value).replaceAll("''", "\\u0027\\u0027");
  return text.replaceAll("\u2028", "\\u2028").replaceAll("\u2029", "\\u2029");
}
