import type { ProgramLanguage } from "@toolglot/core";
import type { CallPlan, PlannedCall } from "./task.ts";

/** Steps one after another, each made of what may run side by side, and what they come to; by default the one step's value. */
export interface Plan {
  steps: readonly (readonly Step[])[];
  result?: Expression;
}

/** A value with a name: what a tool gives, or what a pattern finds in a text. */
export interface Step {
  name: string;
  /** With an empty list here the step is left out, and its value is an empty list. */
  when?: Expression;
  tool?: string;
  input?: Readonly<Record<string, Expression>>;
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

/** A text or a number. It never holds three quotes in a row, since it stands in a TOML literal string. */
export function literal(value: string | number): Expression {
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

/** How many items a list has, as text. */
export function count(list: Expression): Expression {
  return {
    python: `str(len(${list.python}))`,
    javascript: `${list.javascript}.length`,
    value: (known) => String((list.value(known) as unknown[]).length),
  };
}

/** One field of every row, with commas. */
export function joined(list: Expression, key: string): Expression {
  return {
    python: `", ".join(str(row["${key}"]) for row in ${list.python})`,
    javascript: `${list.javascript}.map((row) => row.${key}).join(", ")`,
    value: (known) => (list.value(known) as Known[]).map((row) => row[key]).join(", "),
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
    javascript: `{ ${entries.map(([name, { javascript }]) => `${name}: ${javascript}`).join(", ")} }`,
    value: (known) => Object.fromEntries(entries.map(([name, { value }]) => [name, value(known)])),
  };
}

/** Makes the calls of a plan, and returns what it comes to. */
export function* runPlan({ steps, result }: Plan): CallPlan<unknown> {
  const known: Record<string, unknown> = {};
  for (const group of steps) {
    const wanted = group.map((step) => callsOf(step, known));
    const calls = wanted.flat();
    const values = calls.length > 0 ? yield calls : [];
    for (const [index, { name, when, each, find, take }] of group.entries()) {
      const own = values.splice(0, wanted[index]?.length).map((value) => (take ? (value as Known)[take] : value));
      if (isEmpty(when, known)) known[name] = [];
      else if (find)
        known[name] = [...String(find.text.value(known)).matchAll(new RegExp(find.pattern, "g"))].map(
          ([, found]) => found,
        );
      else known[name] = each ? own : own[0];
    }
  }
  return result ? result.value(known) : known[steps[0]?.[0]?.name ?? ""];
}

function isEmpty(list: Expression | undefined, known: Known): boolean {
  return list !== undefined && (list.value(known) as unknown[]).length === 0;
}

function callsOf({ tool, input = {}, each, when }: Step, known: Known): PlannedCall[] {
  if (tool === undefined || isEmpty(when, known)) return [];
  const items = each ? (each.value(known) as unknown[]) : [undefined];
  return items.map((item) => ({
    name: tool,
    input: Object.fromEntries(Object.entries(input).map(([name, { value }]) => [name, value({ ...known, item })])),
  }));
}

/** What of a step differs between the languages. */
const writers: Record<
  ProgramLanguage,
  Record<"find" | "call" | "take" | "each" | "when", (...parts: string[]) => string>
> = {
  python: {
    find: (pattern, text) => `re.findall(r"${pattern}", ${text})`,
    call: (tool, input) => `${tool}(${input})`,
    take: (call, field) => `${call}["${field}"]`,
    each: (call, list) => `[${call} for item in ${list}]`,
    when: (value, list) => `${value} if ${list} else []`,
  },
  javascript: {
    find: (pattern, text) => `[...${text}.matchAll(/${pattern}/g)].map(([, found]) => found)`,
    call: (tool, input) => `await ${tool}({${input.startsWith("\n") ? input : ` ${input} `}})`,
    take: (call, field) => `(${call}).${field}`,
    each: (call, list) => `await Promise.all(${list}.map((item) => ${call.replace("await ", "")}))`,
    when: (value, list) => `${list}.length > 0 ? ${value} : []`,
  },
};

/** A plan as a program that leaves its value in `__result__`. */
export function writeProgram({ steps, result }: Plan, language: ProgramLanguage): string {
  const [declare, end] = language === "python" ? ["", ""] : ["const ", ";"];
  const all = steps.flat();
  const lines = all.map((step) => {
    const target = result ? declare + step.name : "__result__";
    return `${target} = ${writeStep(step, language)}${end}`;
  });
  return [...lines, ...(result ? [`__result__ = ${result[language]}${end}`] : [])].join("\n");
}

function writeStep({ tool = "", input = {}, each, when, find, take }: Step, language: ProgramLanguage): string {
  const write = writers[language];
  const sign = language === "python" ? "=" : ": ";
  const fields = Object.entries(input).map(([name, value]) => `${name}${sign}${value[language]}`);
  const short = fields.join(", ");
  const call = write.call(tool, short.length < 90 || fields.length < 2 ? short : `\n    ${fields.join(",\n    ")},\n`);
  const whole = each ? write.each(call, each[language]) : take ? write.take(call, take) : call;
  const value = find ? write.find(find.pattern, find.text[language]) : whole;
  return when ? write.when(value, when[language]) : value;
}
