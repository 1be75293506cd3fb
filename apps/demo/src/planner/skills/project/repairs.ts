import type { Locale } from "@toolglot/core";
import { codeOf } from "./javascript.ts";
import type { Line, Source } from "./results.ts";

/** A slip that programmers make, and how it is undone. */
interface Rule {
  id: "limit" | "logic" | "equality" | "rounding" | "off-by-one" | "arithmetic";
  pattern: RegExp;
  to(found: string): string[];
  words: Record<Locale, string>;
}

const swap =
  (pairs: Record<string, string[]>) =>
  (found: string): string[] =>
    pairs[found] ?? [];

const rules: readonly Rule[] = [
  {
    id: "limit",
    pattern: /(?<= )(?:<=|>=|<|>)(?= )/g,
    to: swap({ "<": ["<="], "<=": ["<"], ">": [">="], ">=": [">"] }),
    words: { en: "a comparison that has its limit on the wrong side", zh: "比较时把界限本身算错了边" },
  },
  {
    id: "logic",
    pattern: /(?<= )(?:&&|\|\|)(?= )/g,
    to: swap({ "&&": ["||"], "||": ["&&"] }),
    words: { en: "“and” in the place of “or”, or the other way round", zh: "“与”和“或”用反了" },
  },
  {
    id: "equality",
    pattern: /(?<= )[!=]==?(?= )/g,
    to: swap({ "===": ["!=="], "!==": ["==="], "==": ["!="], "!=": ["=="] }),
    words: { en: "a test for equality the wrong way round", zh: "相等判断写反了" },
  },
  {
    id: "rounding",
    pattern: /(?<=\bMath\.)(?:floor|round|ceil|trunc)(?=\()/g,
    to: swap({
      floor: ["round", "ceil"],
      round: ["floor", "ceil"],
      ceil: ["round", "floor"],
      trunc: ["round", "floor"],
    }),
    words: { en: "rounding in the wrong direction", zh: "舍入方向不对" },
  },
  {
    id: "off-by-one",
    pattern: / [+-] 1\b(?![.\d])/g,
    to: () => [""],
    words: { en: "a one too many or too few", zh: "多加或少减了一" },
  },
  {
    id: "arithmetic",
    pattern: /(?<= )[*/+-](?= )/g,
    to: swap({ "+": ["-"], "-": ["+"], "*": ["/"], "/": ["*"] }),
    words: { en: "the wrong one of two operations", zh: "用错了运算" },
  },
];

/** One change that may be the repair. */
export interface Repair {
  rule: Rule["id"];
  path: string;
  line: Line;
  /** What is exchanged for what, and which of its occurrences in the line. */
  from: string;
  to: string;
  nth: number;
}

/** What the slip is called. */
export function ruleWords(id: Rule["id"], language: Locale): string {
  return rules.find((rule) => rule.id === id)?.words[language] ?? "";
}

/**
 * What might repair a function: each place in its lines where one of the known slips could have been made. `limits`: the value
 * under test is a limit in the code, so comparisons come first.
 */
export function repairsFor(places: readonly { source: Source; lines: readonly Line[] }[], limits: boolean): Repair[] {
  const found = places.flatMap(({ source, lines }) =>
    lines.flatMap((line) =>
      rules.flatMap((rule) =>
        [...codeOf(line.text).matchAll(rule.pattern)].flatMap(([from], nth) =>
          rule.to(from).map((to): Repair => ({ rule: rule.id, path: source.path, line, from, to, nth })),
        ),
      ),
    ),
  );
  const rank = ({ rule }: Repair): number =>
    limits && rule === "limit" ? -1 : rules.findIndex(({ id }) => id === rule);
  return limits ? [...found].sort((a, b) => rank(a) - rank(b)) : found;
}

/** A line with the repair made in it; undefined where it does not apply. */
export function repaired(text: string, { rule, from, to, nth }: Repair): string | undefined {
  const pattern = rules.find(({ id }) => id === rule)?.pattern;
  const match = pattern && [...codeOf(text).matchAll(pattern)][nth];
  if (match === undefined || match[0] !== from) return undefined;
  return text.slice(0, match.index) + to + text.slice(match.index + from.length);
}

/** The passage that an edit of a line names: without its indentation where that is enough, else with the lines around it. */
export function passageFor({ lines }: Source, line: Line): { find: string; at: (repaired: string) => string } {
  const bare = line.text.trim();
  const all = lines.map(({ text }) => text);
  const times = all.join("\n").split(bare).length - 1;
  const indent = line.text.slice(0, line.text.indexOf(bare));
  if (times === 1) return { find: bare, at: (text) => text.slice(indent.length) };
  const index = lines.indexOf(line);
  const before = all.slice(Math.max(0, index - 2), index);
  const around = (text: string): string => [...before, text, ...all.slice(index + 1, index + 2)].join("\n");
  return { find: around(line.text), at: around };
}
