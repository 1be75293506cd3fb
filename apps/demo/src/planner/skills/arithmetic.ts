import { type Expression, record } from "../plan.ts";
import { unreadWords } from "../reading/unread.ts";
import { plannedTask, type Task, type Unread } from "../task.ts";
import { formatNumber, type Say } from "../text.ts";

/** What may stand around the numbers. */
const around =
  "calculate|compute|evaluate|work out|what['’]?s|equals?|result|numbers?|of|计算|算一?下|算出|等于|是多少|多少|结果|得多少|[=？?]";

/** `What is 17.5 % of 2480?`, `mean of 3, 5, 8` */
export function readArithmetic(question: string, say: Say): Task | Unread | undefined {
  return readSeries(question, say) ?? readExpression(question, say);
}

/** Statistics of a list of numbers, each as an expression of them. */
const series: Record<string, { words: RegExp; zh: string; write(numbers: readonly number[]): string }> = {
  mean: { words: /\b(?:mean|average)\b|平均/iu, zh: "平均值", write: meanOf },
  median: {
    words: /\bmedian\b|中位数/iu,
    zh: "中位数",
    write(numbers) {
      const sorted = [...numbers].sort((a, b) => a - b);
      return meanOf(sorted.slice((sorted.length - 1) >> 1, (sorted.length >> 1) + 1));
    },
  },
  "standard deviation": {
    words: /\b(?:standard deviation|stdev)\b|标准差/iu,
    zh: "标准差",
    // From the first number: between large ones, squares would lose what differs.
    write(numbers) {
      const apart = numbers.map((number) => `(${number} - ${numbers[0]})`);
      const squares = apart.map((one) => `${one} ** 2`).join(" + ");
      return `sqrt((${squares} - (${apart.join(" + ")}) ** 2 / ${numbers.length}) / ${numbers.length - 1})`;
    },
  },
};

function meanOf(numbers: readonly number[]): string {
  return `(${numbers.join(" + ")}) / ${numbers.length}`;
}

function readSeries(question: string, say: Say): Task | Unread | undefined {
  const wanted = Object.entries(series).filter(([, { words }]) => words.test(question));
  const list = /-?\d+(?:\.\d+)?(?:\s*(?:,|，|、|\band\b|和|\s)\s*-?\d+(?:\.\d+)?)+/iu.exec(question)?.[0];
  const numbers = list?.match(/-?\d+(?:\.\d+)?/g)?.map(Number) ?? [];
  if (wanted.length === 0 || list === undefined) return undefined;
  const unread = unreadWords(question.replace(list, " "), around, ["aggregate", "and"]);
  if (unread.length > 0) return { unread };
  const terms = wanted.map(([name, { write }]) => [name.replace(" ", "_"), readTerm(write(numbers))] as const);
  if (terms.some(([, term]) => term === undefined)) return undefined;
  return plannedTask<Record<string, number>>({
    kind: "arithmetic",
    about: say`statistics of ${numbers.length} numbers ‖ 对 ${numbers.length} 个数做统计`,
    steps: [],
    result: record(Object.fromEntries(terms) as Record<string, Term>),
    answer: (values) =>
      Object.values(values)
        .map((value, index) => `${say.zh ? wanted[index]?.[1].zh : wanted[index]?.[0]}: ${formatNumber(value)}`)
        .join(say`,  ‖ ，`),
  });
}

/** How numbers and signs are written, in the form in which an expression is read. */
const spellings: readonly [RegExp, string][] = [
  [/[×✕]|\btimes\b|乘以?/giu, "*"],
  [/÷|\bdivided by\b|除以/giu, "/"],
  [/\bplus\b|加/giu, "+"],
  [/\bminus\b|减/giu, "-"],
  [/（/g, "("],
  [/）/g, ")"],
  [/(?<=\d),(?=\d{3}\b)/g, ""],
  [/(\d+(?:\.\d+)?)\s*的\s*(\d+(?:\.\d+)?)\s*[%％]/gu, "$2% of $1"],
  [/(\d+(?:\.\d+)?)\s*[%％]\s*(?:of)\b/gi, "$1 / 100 *"],
  [/(\d+(?:\.\d+)?)\s*[%％]/g, "($1 / 100)"],
  [/√\s*(\d+(?:\.\d+)?)/g, "sqrt($1)"],
  [/\^/g, "**"],
];

/** One expression of numbers, brackets, `+ - * / ^ %`, `sqrt()`, and `N% of M`. */
function readExpression(question: string, say: Say): Task | Unread | undefined {
  const written = spellings.reduce((text, [from, to]) => text.replaceAll(from, to), question);
  const pieces = written.match(/(?:sqrt\s*\(|[\d(]|-(?=[\d(]))(?:sqrt|[\d.\s()+\-*/])*[\d)]/gi) ?? [];
  const expression = pieces.sort((a, b) => b.length - a.length)[0]?.trim() ?? "";
  // A date or a telephone number is no sum.
  if (!/[+\-*/]|sqrt/.test(expression) || /^\d+(?:-\d+)+$/.test(expression)) return undefined;
  const result = readTerm(expression);
  if (result === undefined) return undefined;
  const unread = unreadWords(written.replace(expression, " "), around, ["which", "howmuch"]);
  if (unread.length > 0) return { unread };
  return plannedTask<number | string>({
    kind: "arithmetic",
    about: say`${expression} computed ‖ 计算 ${expression}`,
    steps: [],
    result,
    answer: (value) => `${expression} = ${formatNumber(Number(value))}`,
  });
}

type Term = Expression & { value(): number };

const nothing: Term = { python: "", javascript: "", value: () => Number.NaN };
const operations: Record<string, (a: number, b: number) => number> = {
  "+": (a, b) => a + b,
  "-": (a, b) => a - b,
  "*": (a, b) => a * b,
  "/": (a, b) => a / b,
  "**": (a, b) => a ** b,
};

/** How tightly signs bind: a sign before a number between products and powers, as in Python. */
const binding: Record<string, number> = { "+": 1, "-": 1, "*": 2, "/": 2, "**": 4 };

/** An expression, or undefined when it is none or not finite. Powers bind from the right. */
function readTerm(text: string): Term | undefined {
  const tokens = text.toLowerCase().match(/\d+(?:\.\d+)?|\*\*|sqrt|[-+*/()]/g) ?? [];
  if (tokens.join("") !== text.toLowerCase().replaceAll(/\s/g, "")) return undefined;
  let at = 0;
  const expression = (least: number): Term => {
    let term = operand();
    for (let sign = tokens[at]; sign && (binding[sign] ?? 0) >= least; sign = tokens[at]) {
      at += 1;
      term = binary(term, sign, expression(sign === "**" ? 3 : (binding[sign] ?? 0) + 1));
    }
    return term;
  };
  const operand = (): Term => {
    const token = tokens[at++] ?? "";
    if (token === "+" || token === "-") return signed(token, expression(3));
    if (/^\d/.test(token)) return { value: () => Number(token), python: token, javascript: String(Number(token)) };
    const root = token === "sqrt";
    if (root ? tokens[at++] !== "(" : token !== "(") return nothing;
    const { value, python, javascript } = expression(1);
    if (tokens[at++] !== ")") return nothing;
    const [py, js] = root ? ["math.sqrt", "Math.sqrt"] : ["", ""];
    return {
      value: () => (root ? Math.sqrt(value()) : value()),
      python: `${py}(${python})`,
      javascript: `${js}(${javascript})`,
    };
  };
  const term = expression(1);
  return at === tokens.length && Number.isFinite(term.value()) ? term : undefined;
}

function binary(left: Term, sign: string, right: Term): Term {
  const javascript = `${left.javascript} ${sign} ${right.javascript}`;
  return {
    value: () => operations[sign]?.(left.value(), right.value()) ?? Number.NaN,
    python: `${left.python} ${sign} ${right.python}`,
    // JavaScript wants brackets where a sign stands before a power.
    javascript: sign === "**" ? `(${javascript})` : javascript,
  };
}

/** A blank between two signs: `--` means something else in JavaScript. */
function signed(sign: string, { value, python, javascript }: Term): Term {
  const write = (text: string): string => (/^[-+]/.test(text) ? `${sign} ${text}` : sign + text);
  return { value: () => (sign === "-" ? -value() : value()), python: write(python), javascript: write(javascript) };
}
