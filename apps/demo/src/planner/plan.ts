import type { ProgramLanguage } from "@toolglot/core";
import syntax from "./words/programs.json" with { type: "json" };

/**
 * A call the planner wants to make. `mayFail`: the plan has use for a failure too, and is handed the outcome, whatever it is
 * but a refused approval. A command that could not be run at all has no exit status, and ends the plan.
 */
export type PlannedCall = { name: string; input: Record<string, unknown>; mayFail?: true };

/** Calls one after another: it yields what may run side by side, is handed the values, and returns what they come to. */
export type CallPlan<Value> = Generator<PlannedCall[], Value, unknown[]>;

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

/** What a program is made of, in the words of its language. */
const write = (language: ProgramLanguage, part: keyof typeof syntax.python, values: Record<string, string>): string =>
  syntax[language][part].replaceAll(/\{(\w+)\}/g, (_, name: string) => values[name] ?? "");

/** A plan as a program that leaves its value in `__result__`. */
export function writeProgram({ steps, result }: Plan, language: ProgramLanguage): string {
  const part = result ? "value" : "result";
  const lines = steps.flat().map((step) => write(language, part, { name: step.name, text: stepText(step, language) }));
  if (result === undefined) return lines.join("\n");
  const text = "value" in result ? result[language] : `{${result.map((name) => `"${name}": ${name}`).join(", ")}}`;
  return [...lines, write(language, "result", { text })].join("\n");
}

function stepText({ tool = "", input = {}, each, when, find, take }: Step, language: ProgramLanguage): string {
  const fields = Object.entries(input).map(([name, value]) => {
    return write(language, "field", { name, text: valueText(value, language) });
  });
  const isShort = fields.join(", ").length < 90 || fields.length < 2;
  let text = write(language, isShort ? "short" : "long", { tool, text: fields.join(isShort ? ", " : ",\n    ") });
  if (!each) text = write(language, "once", { text });
  if (take) text = write(language, "take", { text, take });
  if (each) text = write(language, "each", { text, each });
  if (find) text = write(language, "find", { ...find, text: pathText(find.from) });
  return when ? write(language, "when", { text, when }) : text;
}

/** `hits.0.title` as both languages have it. */
const pathText = (path: string): string =>
  path.replaceAll(/\.(?:(\d+)\b|(\w+))/g, (_, at?: string, key?: string) => (at ? `[${at}]` : `["${key}"]`));

function valueText(value: Value, language: ProgramLanguage): string {
  if (typeof value !== "object") return literal(value, language);
  const pieces = value.from.split(place).map((piece, at) => (at % 2 ? pathText(piece) : literal(piece, language)));
  return pieces.filter((piece) => piece !== '""').join(" + ");
}

/** A text or a number as it is written. It never holds three quotes in a row, since it stands in a TOML literal string. */
function literal(value: string | number, language: ProgramLanguage): string {
  const isPlain = typeof value === "string" && value.includes("\n") && !/''|[`\\$"]/.test(value);
  if (isPlain) return write(language, "lines", { text: value });
  const text = JSON.stringify(value).replaceAll("''", "\\u0027\\u0027");
  return text.replaceAll("\u2028", "\\u2028").replaceAll("\u2029", "\\u2029");
}
