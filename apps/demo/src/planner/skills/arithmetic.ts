import type { Locale } from "@toolglot/core";
import { type Unread, unreadWords } from "../reading/unread.ts";
import { type Task, task } from "../task.ts";
import { formatNumber } from "../text.ts";
import { summary, summaryProgram } from "./data.ts";

/** What may stand around the numbers. */
const around =
  /\b(?:calculate|compute|evaluate|work out|what['’]?s|equals?|result|numbers?|of)\b|计算|算一?下|算出|等于|是多少|多少|结果|得多少|[=？?]/giu;

/** `What is 17.5 % of 2480?`, `mean of 3, 5, 8` */
export function readArithmetic(question: string, language: Locale): Task | Unread | undefined {
  return readSeries(question, language) ?? readExpression(question, language);
}

const series: Record<string, RegExp> = {
  mean: /\b(?:mean|average)\b|平均/iu,
  median: /\bmedian\b|中位数/iu,
  stdev: /\b(?:standard deviation|stdev)\b|标准差/iu,
};

/** Statistics of a list of numbers in the request. */
function readSeries(question: string, language: Locale): Task | Unread | undefined {
  const wanted = Object.keys(series).filter((name) => series[name]?.test(question)) as ("mean" | "median" | "stdev")[];
  const list = /-?\d+(?:\.\d+)?(?:\s*(?:,|，|、|\band\b|和|\s)\s*-?\d+(?:\.\d+)?)+/iu.exec(question)?.[0];
  const numbers = list?.match(/-?\d+(?:\.\d+)?/g)?.map(Number) ?? [];
  if (wanted.length === 0 || numbers.length < 2 || list === undefined) return undefined;
  const unread = unreadWords(question.replace(list, " "), around, ["aggregate", "and"]);
  if (unread.length > 0) return { unread };
  const zh = language === "zh";
  const label = {
    mean: zh ? "平均值" : "mean",
    median: zh ? "中位数" : "median",
    stdev: zh ? "标准差" : "standard deviation",
  };
  return task<Record<string, number>>({
    kind: "arithmetic",
    tools: [],
    understanding: zh
      ? `用户要对 ${numbers.length} 个数做统计。`
      : `The user wants statistics of ${numbers.length} numbers.`,
    plan: zh ? "不需要工具，由程序计算。" : "No tool is needed; a program computes it.",
    target: zh ? "计算统计量" : "Compute statistics",
    code: {
      python: `numbers = [${numbers.join(", ")}]
__result__ = {
${wanted.map((name) => `    "${name}": round(statistics.${name}(numbers), 2),`).join("\n")}
}`,
      javascript: `${summaryProgram(wanted)}
const numbers = [${numbers.join(", ")}];
__result__ = {
${wanted.map((name) => `  ${name}: cents(${name}(numbers)),`).join("\n")}
};`,
    },
    *calls() {
      const values = summary(numbers);
      return Object.fromEntries(wanted.map((name) => [name, values?.[name] ?? 0]));
    },
    answer: (values) =>
      wanted.map((name) => `${label[name]}: ${formatNumber(values[name] ?? 0)}`).join(zh ? "，" : ", "),
  });
}

/** One expression of numbers, brackets, `+ - * / ^ %`, `sqrt()`, and `N% of M`. */
function readExpression(question: string, language: Locale): Task | Unread | undefined {
  const written = question
    .replaceAll(/[×✕]/g, "*")
    .replaceAll("÷", "/")
    .replaceAll(/（/g, "(")
    .replaceAll(/）/g, ")")
    .replaceAll(/(?<=\d),(?=\d{3}\b)/g, "")
    .replace(/(\d+(?:\.\d+)?)\s*的\s*(\d+(?:\.\d+)?)\s*[%％]/u, "$2% of $1")
    .replaceAll(/(\d+(?:\.\d+)?)\s*[%％]\s*(?:of)\b/gi, "$1 / 100 *")
    .replaceAll(/(\d+(?:\.\d+)?)\s*[%％]/g, "($1 / 100)")
    .replaceAll(/√\s*(\d+(?:\.\d+)?)/g, "sqrt($1)")
    .replaceAll(/\bplus\b|加/gi, "+")
    .replaceAll(/\bminus\b|减/gi, "-")
    .replaceAll(/\btimes\b|乘以?/gi, "*")
    .replaceAll(/\bdivided by\b|除以/gi, "/")
    .replaceAll("^", "**");
  const found = written
    .match(/(?:sqrt\s*\(|[\d(]|-(?=[\d(]))(?:sqrt|[\d.\s()+\-*/])*[\d)]/gi)
    ?.sort((a, b) => b.length - a.length)[0];
  if (!found || !/[+\-*/]|sqrt/.test(found)) return undefined;
  // A date or a telephone number is no sum.
  if (/^\d+(?:-\d+)+$/.test(found.trim())) return undefined;
  const expression = found.trim();
  const term = readTerm(expression);
  if (term === undefined) return undefined;
  const unread = unreadWords(written.replace(found, " "), around, ["which", "howmuch"]);
  if (unread.length > 0) return { unread };
  const zh = language === "zh";
  return task<number | string>({
    kind: "arithmetic",
    tools: [],
    understanding: zh ? `用户要计算 ${expression}。` : `The user wants ${expression} computed.`,
    plan: zh ? "不需要工具，由程序直接计算。" : "No tool is needed; a program computes it.",
    target: zh ? "计算表达式" : "Evaluate an expression",
    code: { python: `__result__ = ${term.python}`, javascript: `__result__ = ${term.javascript};` },
    // biome-ignore lint/correctness/useYield: nothing is called.
    *calls() {
      return term.value;
    },
    answer: (result) => `${expression} = ${formatNumber(Number(result))}`,
  });
}

/** A part of an expression: what it comes to, and how it is written in a program. */
interface Term {
  value: number;
  python: string;
  javascript: string;
}

/** An expression, or undefined when it is none or not finite. Powers bind from the right, as in Python. */
function readTerm(text: string): Term | undefined {
  const tokens = text.match(/\d+(?:\.\d+)?|\*\*|sqrt|[-+*/()]/gi) ?? [];
  if (tokens.join("") !== text.replaceAll(/\s/g, "")) return undefined;
  let at = 0;
  const take = (token: string): boolean => tokens[at]?.toLowerCase() === token && ++at > 0;
  const sum = (): Term => {
    let term = product();
    for (;;) {
      if (take("+")) term = joined(term, "+", product());
      else if (take("-")) term = joined(term, "-", product());
      else return term;
    }
  };
  const product = (): Term => {
    let term = unary();
    for (;;) {
      if (take("*")) term = joined(term, "*", unary());
      else if (take("/")) term = joined(term, "/", unary());
      else return term;
    }
  };
  const unary = (): Term => (take("-") ? signed("-", unary()) : take("+") ? signed("+", unary()) : power());
  const power = (): Term => {
    const base = atom();
    if (!take("**")) return base;
    const term = joined(base, "**", unary());
    // JavaScript wants brackets where a sign stands before a power.
    return { ...term, javascript: `(${term.javascript})` };
  };
  const atom = (): Term => {
    const root = take("sqrt");
    if (take("(")) {
      const inner = sum();
      if (!take(")")) return nothing;
      if (!root) return { ...inner, python: `(${inner.python})`, javascript: `(${inner.javascript})` };
      const { value, python, javascript } = inner;
      return { value: Math.sqrt(value), python: `math.sqrt(${python})`, javascript: `Math.sqrt(${javascript})` };
    }
    const token = tokens[at];
    if (root || token === undefined || !/^\d/.test(token)) return nothing;
    at += 1;
    return { value: Number(token), python: token, javascript: String(Number(token)) };
  };
  const term = sum();
  return at === tokens.length && Number.isFinite(term.value) ? term : undefined;
}

const nothing: Term = { value: Number.NaN, python: "", javascript: "" };

const operations = {
  "+": (a: number, b: number) => a + b,
  "-": (a: number, b: number) => a - b,
  "*": (a: number, b: number) => a * b,
  "/": (a: number, b: number) => a / b,
  "**": (a: number, b: number) => a ** b,
};

function joined(left: Term, sign: keyof typeof operations, right: Term): Term {
  return {
    value: operations[sign](left.value, right.value),
    python: `${left.python} ${sign} ${right.python}`,
    javascript: `${left.javascript} ${sign} ${right.javascript}`,
  };
}

/** A blank between two signs: `--` means something else in JavaScript. */
function signed(sign: "+" | "-", { value, python, javascript }: Term): Term {
  const write = (text: string): string => (/^[-+]/.test(text) ? `${sign} ${text}` : sign + text);
  return { value: sign === "-" ? -value : value, python: write(python), javascript: write(javascript) };
}
