import { escapeRegExp } from "../../text.ts";
import table from "../../words/repairs.json" with { type: "json" };
import type { Line, Source } from "./results.ts";

/** A slip that programmers make: where one may be, what may have been meant, and what it is called in English and Chinese. */
type Mistake = (typeof table)[number];

/** One change that may be the repair: a line and what it becomes, if this was the mistake. */
export type Repair = { mistake: Mistake; source: Source; line: Line; text: string };

/**
 * What might repair a function: each place in its lines where one of the known slips could have been made. `limits`: the value
 * under test is a limit in the code, so comparisons come first.
 */
export function repairsFor(places: readonly { source: Source; lines: readonly Line[] }[], limits: boolean): Repair[] {
  const lines = places.flatMap(({ source, lines }) => lines.map((line) => ({ source, line })));
  const found = lines.flatMap((place) =>
    table.flatMap((mistake) => withoutIt(mistake, place.line.text).map((text) => ({ mistake, ...place, text }))),
  );
  return limits ? found.sort((a, b) => table.indexOf(a.mistake) - table.indexOf(b.mistake)) : found;
}

/** A line without the mistake, at each of the places where it may have been made. */
const withoutIt = ({ pattern, meant }: Mistake, whole: string): string[] =>
  [...codeOf(whole).matchAll(new RegExp(pattern, "g"))].flatMap(({ 0: from, index }) => {
    // What has no exchange is taken out.
    const [, ...exchanges] = meant.map((swap) => swap.split(" ")).find(([wrong]) => wrong === from) ?? ["", ""];
    return exchanges.map((to) => whole.slice(0, index) + to + whole.slice(index + from.length));
  });

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
