import { sourceOf } from "../reading/requests.ts";
import { unreadWords } from "../reading/tokens.ts";
import { plannedTask, type Task, type Unread } from "../task.ts";
import { formatNumber } from "../text.ts";
import signs from "../words/signs.json" with { type: "json" };

/** How numbers and signs are written, in the form in which an expression is read. */
const spellings = signs.map(([from = "", to = ""]) => [new RegExp(from, "giu"), to] as const);

/** `What is 17.5 % of 2480?`: numbers, brackets, `+ - * /`, `sqrt()` and `N% of M`. */
export function readArithmetic(question: string): Task | Unread | undefined {
  const written = spellings.reduce((text, [from, to]) => text.replaceAll(from, to), question);
  const pieces = written.match(/(?:sqrt\s*\(|[\d(]|-(?=[\d(]))(?:sqrt|[\d.\s()+\-*/])*[\d)]/gi) ?? [];
  const expression = pieces.sort((a, b) => b.length - a.length)[0]?.trim() ?? "";
  // A date or a telephone number is no sum.
  if (!/[+\-*/]|sqrt/.test(expression) || /^\d+(?:-\d+)+$/.test(expression)) return undefined;
  const tokens = expression.toLowerCase().match(/\d+(?:\.\d+)?|sqrt|[-+*/()]/g) ?? [];
  const value = evaluate(tokens);
  if (tokens.join("") !== expression.toLowerCase().replaceAll(/\s/g, "") || !Number.isFinite(value)) return undefined;
  // A blank between all: `--` means something else in JavaScript. No number begins with 0 in Python.
  const code = tokens.map((token) => (/^\d/.test(token) ? String(Number(token)) : token)).join(" ");
  const [python = "", javascript = ""] = ["math", "Math"].map((library) => code.replaceAll("sqrt", `${library}.sqrt`));
  const task = plannedTask<number | string>({
    kind: "arithmetic",
    steps: [],
    result: { python, javascript, value },
    answer: (found) => `${expression} = ${formatNumber(Number(found))}`,
  });
  const around = written.replace(expression, " ");
  return unreadWords(around, sourceOf("arithmeticWords"), ["which", "howmuch", "count"]) ?? task;
}

const operations: Readonly<Record<string, (a: number, b: number) => number>> = {
  "+": (a, b) => a + b,
  "-": (a, b) => a - b,
  "*": (a, b) => a * b,
  "/": (a, b) => a / b,
};

/** The value of an expression; not a number when it is none. */
function evaluate(tokens: readonly string[]): number {
  const rest = [...tokens];
  const operand = (): number => {
    const token = rest.shift() ?? "";
    if (token === "-") return -operand();
    if (/^\d/.test(token)) return Number(token);
    const value = (token === "sqrt" ? rest.shift() : token) === "(" ? sum() : Number.NaN;
    return rest.shift() === ")" ? (token === "sqrt" ? Math.sqrt(value) : value) : Number.NaN;
  };
  const row = (signs: string, next: () => number) => (): number => {
    let value = next();
    while (rest[0] && signs.includes(rest[0])) value = operations[rest.shift() ?? ""]?.(value, next()) ?? Number.NaN;
    return value;
  };
  const sum = row("+-", row("*/", operand));
  const value = sum();
  return rest.length === 0 ? value : Number.NaN;
}
