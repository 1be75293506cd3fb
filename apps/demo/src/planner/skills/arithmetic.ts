import type { Locale } from "@toolglot/core";
import { type Skill, type Task, task } from "../task.ts";
import { formatNumber } from "../text.ts";
import { summary } from "./statistics.ts";

/** `What is 17.5 % of 2480?`, `mean of 3, 5, 8` */
export const arithmeticSkill: Skill = {
  id: "arithmetic",
  title: { en: "calculate, without tools", zh: "计算（不用工具）" },
  example: { en: "what is 17.5% of 2480 + sqrt(144)?", zh: "计算 (1299 + 459) * 0.85" },
  read(question, language) {
    return readSeries(question, language) ?? readExpression(question, language);
  },
};

const series: Record<string, RegExp> = {
  mean: /\b(?:mean|average)\b|平均/iu,
  median: /\bmedian\b|中位数/iu,
  stdev: /\b(?:standard deviation|stdev)\b|标准差/iu,
};

/** Statistics of a list of numbers in the request. */
function readSeries(question: string, language: Locale): Task | undefined {
  const wanted = Object.keys(series).filter((name) => series[name]?.test(question)) as ("mean" | "median" | "stdev")[];
  const list = /-?\d+(?:\.\d+)?(?:\s*(?:,|，|、|\band\b|和|\s)\s*-?\d+(?:\.\d+)?)+/iu.exec(question)?.[0];
  const numbers = list?.match(/-?\d+(?:\.\d+)?/g)?.map(Number) ?? [];
  if (wanted.length === 0 || numbers.length < 2) return undefined;
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
    plan: zh ? "不需要工具，用 statistics 计算。" : "No tool is needed; the statistics library computes it.",
    target: zh ? "计算统计量" : "Compute statistics",
    code: `numbers = [${numbers.join(", ")}]
__result__ = {
${wanted.map((name) => `    "${name}": round(statistics.${name}(numbers), 2),`).join("\n")}
}`,
    *calls() {
      const values = summary(numbers);
      return Object.fromEntries(wanted.map((name) => [name, values?.[name] ?? 0]));
    },
    answer: (values) =>
      wanted.map((name) => `${label[name]}: ${formatNumber(values[name] ?? 0)}`).join(zh ? "，" : ", "),
  });
}

/** One expression of numbers, brackets, `+ - * / ^ %`, `sqrt()`, and `N% of M`. */
function readExpression(question: string, language: Locale): Task | undefined {
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
  const value = evaluate(expression);
  if (value === undefined) return undefined;
  const zh = language === "zh";
  return task<number | string>({
    kind: "arithmetic",
    tools: [],
    understanding: zh ? `用户要计算 ${expression}。` : `The user wants ${expression} computed.`,
    plan: zh ? "不需要工具，直接用 Python 计算。" : "No tool is needed; Python computes it.",
    target: zh ? "计算表达式" : "Evaluate an expression",
    code: `__result__ = ${expression.replaceAll(/\bsqrt\b/gi, "math.sqrt")}`,
    // biome-ignore lint/correctness/useYield: nothing is called.
    *calls() {
      return value;
    },
    answer: (result) => `${expression} = ${formatNumber(Number(result))}`,
  });
}

/** The value of an expression, or undefined when it is none or not finite. Powers bind from the right, as in Python. */
function evaluate(text: string): number | undefined {
  const tokens = text.match(/\d+(?:\.\d+)?|\*\*|sqrt|[-+*/()]/gi) ?? [];
  if (tokens.join("") !== text.replaceAll(/\s/g, "")) return undefined;
  let at = 0;
  const take = (token: string): boolean => tokens[at]?.toLowerCase() === token && ++at > 0;
  const sum = (): number => {
    let value = product();
    for (;;) {
      if (take("+")) value += product();
      else if (take("-")) value -= product();
      else return value;
    }
  };
  const product = (): number => {
    let value = unary();
    for (;;) {
      if (take("*")) value *= unary();
      else if (take("/")) value /= unary();
      else return value;
    }
  };
  const unary = (): number => (take("-") ? -unary() : take("+") ? unary() : power());
  const power = (): number => {
    const base = atom();
    return take("**") ? base ** unary() : base;
  };
  const atom = (): number => {
    const root = take("sqrt");
    if (take("(")) {
      const value = sum();
      if (!take(")")) return Number.NaN;
      return root ? Math.sqrt(value) : value;
    }
    const token = tokens[at];
    if (root || token === undefined || !/^\d/.test(token)) return Number.NaN;
    at += 1;
    return Number(token);
  };
  const value = sum();
  return at === tokens.length && Number.isFinite(value) ? value : undefined;
}
