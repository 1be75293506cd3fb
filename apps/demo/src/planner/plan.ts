import type { ProgramLanguage } from "@toolglot/core";
import type { CallPlan, PlannedCall } from "./task.ts";

/** Steps one after another, each made of what may run side by side. */
export interface Plan {
  steps: readonly (readonly Step[])[];
  /** What they come to: the named ones under their names, or a value. By default it is the only step's value. */
  result?: readonly string[] | Expression;
}

/** A value with a name: what a tool gives, or what a pattern finds in a text. */
export interface Step {
  name: string;
  /** With an empty list here the step is left out, and its value is an empty list. */
  when?: Expression;
  tool?: string;
  input?: Readonly<Record<string, Expression | string | number>>;
  /** The one field of the tool's value that is wanted. */
  take?: string;
  /** One call for each of these; in the input, `item` is the one. */
  each?: Expression;
  /** The first group of every match of a pattern, which is valid in both languages. */
  find?: { pattern: string; text: Expression };
}

type Known = Readonly<Record<string, unknown>>;

/** How a value is written in a program, and what it comes to when the earlier ones are known. */
export interface Expression extends Readonly<Record<ProgramLanguage, string>> {
  value(known: Known): unknown;
}

/** A text or a number as it is written. It never holds three quotes in a row, since it stands in a TOML literal string. */
function literal(value: string | number): Expression {
  const text = JSON.stringify(value).replaceAll("''", "\\u0027\\u0027");
  const safe = text.replaceAll("\u2028", "\\u2028").replaceAll("\u2029", "\\u2029");
  const lines = typeof value === "string" && value.includes("\n") && !/''|[`\\$"]/.test(value);
  const [python, javascript] = lines ? [`"""${value}"""`, `\`${value}\``] : [safe, safe];
  return { python, javascript, value: () => value };
}

/** What an earlier step gave, or something in it. */
export function path(name: string, ...keys: (string | number)[]): Expression {
  return {
    python: name + keys.map((key) => `[${JSON.stringify(key)}]`).join(""),
    javascript: name + keys.map((key) => (typeof key === "number" ? `[${key}]` : `.${key}`)).join(""),
    value: (known) => keys.reduce<unknown>((value, key) => (value as Known)[key], known[name]),
  };
}

/** How many items a list has, or one field of all of them with commas: as text. */
export function listed(list: string, key?: string): Expression {
  return {
    python: key ? `", ".join(str(row["${key}"]) for row in ${list})` : `str(len(${list}))`,
    javascript: key ? `${list}.map((row) => row.${key}).join(", ")` : `${list}.length`,
    value(known) {
      const rows = known[list] as Known[];
      return key ? rows.map((row) => row[key]).join(", ") : String(rows.length);
    },
  };
}

/** A text with values in the places of `{name}`. */
export function template(text: string, values: Readonly<Record<string, Expression>>): Expression {
  const pieces = text.split(/\{(\w+)\}/).map((piece, index) => (index % 2 ? (values[piece] as Expression) : piece));
  const parts = pieces
    .filter((piece) => piece !== "")
    .map((piece) => (typeof piece === "string" ? literal(piece) : piece));
  return {
    python: parts.map(({ python }) => python).join(" + "),
    javascript: parts.map(({ javascript }) => javascript).join(" + "),
    value: (known) => parts.map(({ value }) => String(value(known))).join(""),
  };
}

/** Several values under their names. */
export function record(fields: Readonly<Record<string, Expression>>): Expression {
  const entries = Object.entries(fields);
  return {
    python: `{${entries.map(([name, { python }]) => `"${name}": ${python}`).join(", ")}}`,
    javascript: `{ ${entries.map(([name, { javascript }]) => (name === javascript ? name : `${name}: ${javascript}`)).join(", ")} }`,
    value: (known) => Object.fromEntries(entries.map(([name, { value }]) => [name, value(known)])),
  };
}

/** Makes the calls of a plan, and returns what it comes to. */
export function* runPlan(plan: Plan): CallPlan<unknown> {
  const { steps } = plan;
  const known: Record<string, unknown> = {};
  for (const group of steps) {
    const wanted = group.map((step) => callsOf(step, known));
    const calls = wanted.flatMap((own) => own ?? []);
    const values = calls.length > 0 ? yield calls : [];
    for (const [index, { name, each, find, take }] of group.entries()) {
      const own = values.splice(0, wanted[index]?.length).map((value) => (take ? (value as Known)[take] : value));
      const text = find && wanted[index] ? String(find.text.value(known)) : "";
      const found = find && [...text.matchAll(new RegExp(find.pattern, "g"))].map(([, match]) => match);
      known[name] = found ?? (each ? own : (own[0] ?? []));
    }
  }
  return resultOf(plan)?.value(known) ?? known[steps[0]?.[0]?.name ?? ""];
}

function resultOf({ result }: Plan): Expression | undefined {
  if (result === undefined || "value" in result) return result;
  return record(Object.fromEntries(result.map((name) => [name, path(name)])));
}

const expressionOf = (value: Expression | string | number): Expression =>
  typeof value === "object" ? value : literal(value);

/** The calls of a step; undefined where it is left out. */
function callsOf({ tool, input = {}, each, when }: Step, known: Known): PlannedCall[] | undefined {
  if (when && (when.value(known) as unknown[]).length === 0) return undefined;
  const items = each ? (each.value(known) as unknown[]) : [undefined];
  const fields = Object.entries(input);
  return items.flatMap((item) => {
    const values = fields.map(([name, value]) => [name, expressionOf(value).value({ ...known, item })]);
    return tool === undefined ? [] : [{ name: tool, input: Object.fromEntries(values) }];
  });
}

/** A plan as a program that leaves its value in `__result__`. */
export function writeProgram(plan: Plan, language: ProgramLanguage): string {
  const result = resultOf(plan);
  const [declare, end] = language === "python" ? ["", ""] : ["const ", ";"];
  const lines = plan.steps.flat().map((step) => {
    const target = result ? declare + step.name : "__result__";
    return `${target} = ${writeStep(step, language)}${end}`;
  });
  return [...lines, ...(result ? [`__result__ = ${result[language]}${end}`] : [])].join("\n");
}

function writeStep({ tool = "", input = {}, each, when, find, take }: Step, language: ProgramLanguage): string {
  const python = language === "python";
  const fields = Object.entries(input).map(
    ([name, value]) => name + (python ? "=" : ": ") + expressionOf(value)[language],
  );
  const short = fields.join(", ");
  const list = short.length < 90 || fields.length < 2 ? short : `\n    ${fields.join(",\n    ")},\n`;
  const [items, condition, searched] = [each?.[language], when?.[language], find?.text[language]];
  let text = python ? `${tool}(${list})` : `${tool}({${list === short ? ` ${short} ` : list}})`;
  if (!python && !each) text = `await ${text}`;
  if (take) text = python ? `${text}["${take}"]` : `(${text}).${take}`;
  if (each) text = python ? `[${text} for item in ${items}]` : `await Promise.all(${items}.map((item) => ${text}))`;
  if (find)
    text = python
      ? `re.findall(r"${find.pattern}", ${searched})`
      : `[...${searched}.matchAll(/${find.pattern}/g)].map(([, found]) => found)`;
  if (when) text = python ? `${text} if ${condition} else []` : `${condition}.length > 0 ? ${text} : []`;
  return text;
}
