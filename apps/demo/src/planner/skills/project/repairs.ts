import { codeOf } from "./javascript.ts";
import type { Line, Source } from "./results.ts";

/** Slips that programmers make: where one may be, what may have been meant, and what it is called in English and Chinese. */
const table = String.raw`
limit ; (?<= )(?:<=|>=|<|>)(?= ) ; < <=, <= <, > >=, >= > ; a comparison that has its limit on the wrong side ; 比较时把界限本身算错了边
logic ; (?<= )(?:&&|\|\|)(?= ) ; && ||, || && ; “and” in the place of “or”, or the other way round ; “与”和“或”用反了
equality ; (?<= )[!=]==?(?= ) ; === !==, !== ===, == !=, != == ; a test for equality the wrong way round ; 相等判断写反了
rounding ; (?<=\bMath\.)(?:floor|round|ceil|trunc)(?=\() ; floor round ceil, round floor ceil, ceil round floor, trunc round floor ; rounding in the wrong direction ; 舍入方向不对
off-by-one ;  [+-] 1\b(?![.\d]) ;  ; a one too many or too few ; 多加或少减了一
arithmetic ; (?<= )[*/+-](?= ) ; + -, - +, * /, / * ; the wrong one of two operations ; 用错了运算`;

const rules = table
  .trim()
  .split("\n")
  .map((line) => {
    const [id = "", pattern = "", swaps = "", en = "", zh = ""] = line.split(" ; ");
    const meant = new Map(swaps.split(", ").map((swap) => [swap.split(" ")[0], swap.split(" ").slice(1)]));
    // What has no exchange is taken out.
    return {
      id,
      pattern: new RegExp(pattern, "g"),
      meant: (from: string) => meant.get(from) ?? [""],
      words: [en, zh] as const,
    };
  });

const ruleOf = (id: string) => rules.find((rule) => rule.id === id);

/** One change that may be the repair. */
export interface Repair {
  rule: string;
  source: Source;
  line: Line;
  /** What is exchanged for what, and which of its occurrences in the line. */
  from: string;
  to: string;
  nth: number;
}

/** What the slip is called, in English and in Chinese. */
export function ruleWords(id: string): readonly [string, string] {
  return ruleOf(id)?.words ?? ["", ""];
}

/**
 * What might repair a function: each place in its lines where one of the known slips could have been made. `limits`: the value
 * under test is a limit in the code, so comparisons come first.
 */
export function repairsFor(places: readonly { source: Source; lines: readonly Line[] }[], limits: boolean): Repair[] {
  const lines = places.flatMap(({ source, lines }) => lines.map((line) => ({ source, line })));
  const found = lines.flatMap(({ source, line }) =>
    rules.flatMap(({ id: rule, pattern, meant }) =>
      [...codeOf(line.text).matchAll(pattern)].flatMap(([from], nth) =>
        meant(from).map((to): Repair => ({ rule, source, line, from, to, nth })),
      ),
    ),
  );
  const rank = ({ rule }: Repair): number => rules.findIndex(({ id }) => id === rule);
  return limits ? found.sort((a, b) => rank(a) - rank(b)) : found;
}

/** A line with the repair made in it; undefined where it does not apply. */
export function repaired(text: string, { rule, from, to, nth }: Repair): string | undefined {
  const match = [...codeOf(text).matchAll(ruleOf(rule)?.pattern ?? /(?!)/g)][nth];
  if (match?.[0] !== from) return undefined;
  return text.slice(0, match.index) + to + text.slice(match.index + from.length);
}

/** What an edit of a line names: the line without its indentation where that is enough, else with the lines around it. */
export function passageFor({ lines }: Source, line: Line): { find: string; at: (repaired: string) => string } {
  const bare = line.text.trim();
  const all = lines.map(({ text }) => text);
  const indent = line.text.indexOf(bare);
  if (all.join("\n").split(bare).length === 2) return { find: bare, at: (text) => text.slice(indent) };
  const index = lines.indexOf(line);
  const around = (text: string): string =>
    [...all.slice(Math.max(0, index - 2), index), text, ...all.slice(index + 1, index + 2)].join("\n");
  return { find: around(line.text), at: around };
}
