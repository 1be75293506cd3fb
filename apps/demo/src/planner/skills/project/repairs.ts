import { escapeRegExp } from "../../text.ts";
import type { Line, Source } from "./results.ts";

/** Slips that programmers make: where one may be, what may have been meant, and what it is called in English and Chinese. */
const rules = String.raw`
limit ; (?<= )(?:<=|>=|<|>)(?= ) ; < <=, <= <, > >=, >= > ; a comparison that has its limit on the wrong side ; 比较时把界限本身算错了边
logic ; (?<= )(?:&&|\|\|)(?= ) ; && ||, || && ; “and” in the place of “or”, or the other way round ; “与”和“或”用反了
equality ; (?<= )[!=]==?(?= ) ; === !==, !== ===, == !=, != == ; a test for equality the wrong way round ; 相等判断写反了
rounding ; (?<=\bMath\.)(?:floor|round|ceil|trunc)(?=\() ; floor round ceil, round floor ceil, ceil round floor, trunc round floor ; rounding in the wrong direction ; 舍入方向不对
off-by-one ;  [+-] 1\b(?![.\d]) ;  ; a one too many or too few ; 多加或少减了一
arithmetic ; (?<= )[*/+-](?= ) ; + -, - +, * /, / * ; the wrong one of two operations ; 用错了运算`
  .trim()
  .split("\n")
  .map((line) => {
    const [id = "", pattern = "", swaps = "", en = "", zh = ""] = line.split(" ; ");
    const meant = swaps.split(", ").map((swap) => swap.split(" "));
    return { id, pattern: new RegExp(pattern, "g"), meant, words: [en, zh] as const };
  });

/** One change that may be the repair: a line and what it becomes, with what the slip is called in English and in Chinese. */
export type Repair = { rule: string; words: readonly [string, string]; source: Source; line: Line; text: string };

/**
 * What might repair a function: each place in its lines where one of the known slips could have been made. `limits`: the value
 * under test is a limit in the code, so comparisons come first.
 */
export function repairsFor(places: readonly { source: Source; lines: readonly Line[] }[], limits: boolean): Repair[] {
  const lines = places.flatMap(({ source, lines }) => lines.map((line) => ({ source, line, whole: line.text })));
  const found = lines.flatMap(({ whole, ...place }) =>
    rules.flatMap(({ id: rule, pattern, meant, words }) =>
      [...codeOf(whole).matchAll(pattern)].flatMap(({ 0: from, index }) => {
        // What has no exchange is taken out.
        const [, ...exchanges] = meant.find(([wrong]) => wrong === from) ?? ["", ""];
        const textWith = (to: string): string => whole.slice(0, index) + to + whole.slice(index + from.length);
        return exchanges.map((to): Repair => ({ rule, words, ...place, text: textWith(to) }));
      }),
    ),
  );
  const rank = ({ rule }: Repair): number => rules.findIndex(({ id }) => id === rule);
  return limits ? found.sort((a, b) => rank(a) - rank(b)) : found;
}

/** What an edit of a line names: the line without its indentation where that is enough, else with the lines around it. */
export function passageFor({ lines }: Source, line: Line): { find: string; at: (repaired: string) => string } {
  const bare = line.text.trim();
  const all = lines.map(({ text }) => text);
  if (all.join("\n").split(bare).length === 2) return { find: bare, at: (text) => text.trim() };
  const index = lines.indexOf(line);
  const around = (text: string): string =>
    [...all.slice(Math.max(0, index - 2), index), text, ...all.slice(index + 1, index + 2)].join("\n");
  return { find: around(line.text), at: around };
}

/** The statement that a line belongs to: up to the line that ends it. */
export function statementAt({ lines }: Source, number: number): string {
  const rest = lines.slice(lines.findIndex((line) => line.number === number)).map(({ text }) => text);
  const end = rest.findIndex((text) => /;\s*$/.test(text));
  return rest.slice(0, Math.min(end + 1 || 1, 20)).join("\n");
}

/** Names that are called in a piece of code, each once. */
export const calledIn = (code: string): string[] => [
  ...new Set([...code.matchAll(/(?<![.\w$])([A-Za-z_$][\w$]{0,100})\s*\(/g)].map(([, name = ""]) => name)),
];

/** The numbers in a piece of code, but for those in its texts. */
export function numbersIn(code: string): number[] {
  const bare = code.replace(/"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'/g, '""');
  return [...bare.matchAll(/(?<![\w$.])\d+(?:\.\d+)?(?![\w$])/g)].map(Number);
}

/** The lines of a declared function: from its head to the line that closes it. */
export function functionLines({ lines }: Source, name: string): Line[] {
  const words = "(?:export\\s+)?(?:default\\s+)?(?:async\\s+)?(?:function\\*?|const|let|var)";
  const head = new RegExp(`^(\\s*)${words}\\s+${escapeRegExp(name)}\\b`);
  const start = lines.findIndex(({ text }) => head.test(text));
  const indent = head.exec(lines[start]?.text ?? "")?.[1];
  const end = lines.findIndex(({ text }, index) => index > start && text.startsWith(`${indent}}`));
  return start < 0 ? [] : lines.slice(start, Math.max(start, end) + 1);
}

/** The code of a line, without a comment at its end; empty for a line that is all comment. */
const codeOf = (text: string): string => (/^\s*(?:\/\/|\/?\*)/.test(text) ? "" : text.replace(/\s\/\/ .*$/, ""));
