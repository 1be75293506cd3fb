import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { rounds } from "@toolglot/internal/testing";
import { expect, it } from "vitest";
import { applyEdits } from "../../src/edit/apply-edits.ts";
import { disturbances, hunksOf, tallyOf } from "./disturbed.ts";

const require = createRequire(import.meta.url);
const folderOf = (name: string): string => dirname(require.resolve(name));

/** Sources of other people, as they publish them. */
const files = [
  join(folderOf("iconv-lite"), "index.js"),
  join(folderOf("iconv-lite"), "../encodings/utf7.js"),
  join(folderOf("iconv-lite"), "../encodings/sbcs-codec.js"),
  join(folderOf("iconv-lite"), "../encodings/dbcs-codec.js"),
  join(folderOf("chardet"), "index.js"),
  join(folderOf("chardet"), "encoding/mbcs.js"),
  join(folderOf("diff"), "diff/base.js"),
  join(folderOf("diff"), "patch/apply.js"),
];

/** Numbers that are the same in each run. */
function numbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

const perFile = rounds(1, 60);
const sources = files.map((path) => readFileSync(path, "utf8").replaceAll("\r\n", "\n"));
const indented = (source: string, level: string): string => {
  const own = /^ {4}\S/m.test(source) && !/^ {2}\S/m.test(source) ? 4 : 2;
  return source.replace(/^ +/gm, (all) => level.repeat(all.length / own) + " ".repeat(all.length % own));
};
const hunks = sources.flatMap((source, at) =>
  ["  ", "    ", "\t"].flatMap((level, way) => hunksOf(indented(source, level), perFile, numbers(10 * at + way))),
);

it("makes disturbed edits of other people's sources as they were meant, or refuses them", { timeout: 600_000 }, () => {
  const tallies = tallyOf(hunks, (file, edit) => {
    const { text, problems } = applyEdits(file, [edit], { lenient: true });
    return problems.length > 0 ? undefined : text;
  });
  expect(hunks.length).toBeGreaterThan(perFile * 15);
  expect(Object.keys(disturbances).length).toBeGreaterThan(30);
  const wrong = [...tallies.values()].flatMap((tally) => tally.wrong);
  expect(
    wrong.slice(0, 3).map(({ name, hunk: { find, replace, after }, text }) => ({
      name,
      find,
      replace,
      after: around(after, text),
      text: around(text, after),
    })),
  ).toEqual([]);
  const sum = (key: "exact" | "refused", ...names: string[]): number =>
    [...tallies]
      .filter(([name]) => names.length === 0 || names.includes(name))
      .reduce((all, [, tally]) => all + tally[key], 0);
  // What can't be told for certain is refused: full-width signs, code that is left out, indentation that is gone.
  const [exact, refused] = [sum("exact"), sum("refused")];
  expect(exact / (exact + refused)).toBeGreaterThan(0.8);
  expect(sum("refused", "code left out")).toBeGreaterThan(0);
  expect(sum("exact", "code left out", "full-width signs, on both sides")).toBe(0);
});

/** Where two texts differ first. */
function around(text: string, other: string): string {
  let at = 0;
  while (at < text.length && text[at] === other[at]) at++;
  return text.slice(Math.max(0, at - 40), at + 80);
}
