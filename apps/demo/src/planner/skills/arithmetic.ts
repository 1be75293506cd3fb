import { unreadWords } from "../reading/tokens.ts";
import { plannedTask, type Task, type Unread } from "../task.ts";
import { formatNumber } from "../text.ts";

/** What may stand around the numbers. */
const around = "calculate|compute|what['’]?s|equals?|计算|算一?下|等于|多少|结果|[=？?]";

/** How numbers and signs are written, in the form in which an expression is read. */
const spellings: readonly [RegExp, string][] = [
  [/[×✕]|\btimes\b|乘以?/giu, "*"],
  [/÷|\bdivided by\b|除以/giu, "/"],
  [/\bplus\b|加/giu, "+"],
  [/\bminus\b|减/giu, "-"],
  [/（/g, "("],
  [/）/g, ")"],
  [/(?<=\d),(?=\d{3}\b)/g, ""],
  [/(\d+(?:\.\d+)?)\s*的\s*(\d+(?:\.\d+)?)\s*[%％]/gu, "$2 / 100 * $1"],
  [/(\d+(?:\.\d+)?)\s*[%％]\s*(?:of)\b/gi, "$1 / 100 *"],
];

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
  const unread = unreadWords(written.replace(expression, " "), around, ["which", "howmuch", "count"]);
  if (unread.length > 0) return { unread };
  // A blank between all: `--` means something else in JavaScript. No number begins with 0 in Python.
  const code = tokens.map((token) => (/^\d/.test(token) ? String(Number(token)) : token)).join(" ");
  const [python, javascript] = [code.replaceAll("sqrt", "math.sqrt"), code.replaceAll("sqrt", "Math.sqrt")];
  return plannedTask<number | string>({
    kind: "arithmetic",
    steps: [],
    result: { python, javascript, value },
    answer: (found) => `${expression} = ${formatNumber(Number(found))}`,
  });
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
  const take = (pattern: RegExp): string | undefined => (pattern.test(rest[0] ?? "") ? rest.shift() : undefined);
  const operand = (): number => {
    if (take(/^-$/)) return -operand();
    const number = take(/^\d/);
    if (number) return Number(number);
    const root = take(/^sqrt$/);
    const value = take(/^\($/) ? sum() : Number.NaN;
    return take(/^\)$/) ? (root ? Math.sqrt(value) : value) : Number.NaN;
  };
  const row = (signs: RegExp, next: () => number) => (): number => {
    let value = next();
    for (let sign = take(signs); sign; sign = take(signs)) value = operations[sign]?.(value, next()) ?? Number.NaN;
    return value;
  };
  const sum = row(/^[+-]$/, row(/^[*/]$/, operand));
  const value = sum();
  return rest.length === 0 ? value : Number.NaN;
}
