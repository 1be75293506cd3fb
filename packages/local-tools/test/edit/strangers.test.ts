import { rounds } from "@toolglot/internal/testing";
import { expect, it } from "vitest";
import { applyEdits } from "../../src/edit/apply-edits.ts";
import { disturbances, type Outcome, outcomeOf } from "./disturbed.ts";
import { edits, hunksOf } from "./edits.ts";
import { numbers, sourcesOf } from "./sources.ts";

// Files that other people wrote, found where they are installed, with edits as people make them, each as a model or a channel spoils it.

const random = numbers(20);
const sources = sourcesOf(rounds(2, 8), random);
const names = Object.keys(edits);
const ways = Object.keys(disturbances).sort(() => random() - 0.5);
const hunks = sources.flatMap(({ text }) => hunksOf(text, names, random));
/** Of each edit so many ways, in turn. */
const waysEach = rounds(3, 12);

const made = hunks.flatMap((hunk, at) =>
  Array.from({ length: waysEach }, (_, turn) => ways[(at * waysEach + turn) % ways.length] as string).flatMap((way) => {
    const outcome = outcomeOf(hunk, way, (file, edit) => {
      const { text, problems } = applyEdits(file, [edit], { lenient: true });
      return problems.length > 0 ? undefined : text;
    });
    return outcome === undefined ? [] : [{ way, ...outcome }];
  }),
);
const count = (outcome: Outcome, side = ""): number =>
  made.filter((one) => one.outcome === outcome && one.way.endsWith(side)).length;
const all = made.filter(({ way }) => !way.endsWith("in replace")).length;
const share = (outcome: Outcome): string => {
  const own = made.filter((one) => one.outcome === outcome && !one.way.endsWith("in replace")).length;
  return `${((100 * own) / all).toFixed(1)} % ${outcome}`;
};
const told = (["exact", "forgiven", "refused", "written", "wrong"] as const).map(share).join(", ");

it(`makes ${made.length} disturbed edits as they were meant, or refuses them (find or both: ${told})`, () => {
  expect(new Set(sources.map(({ language }) => language)).size).toBeGreaterThanOrEqual(6);
  expect(new Set(hunks.map(({ name }) => name)).size).toBeGreaterThanOrEqual(30);
  expect(made.length).toBeGreaterThan(rounds(1_000, 6_000));
  const wrong = made.filter(({ outcome }) => outcome === "wrong");
  expect(
    wrong.slice(0, 3).map(({ way, disturbed: { name, find, replace, after }, text = "" }) => ({
      ...{ way, name, find, replace },
      after: around(after, text),
      text: around(text, after),
    })),
  ).toEqual([]);
  expect(count("forgiven", "in both") / made.filter(({ way }) => way.endsWith("in both")).length).toBeGreaterThan(
    // Of a small sample the share is off by a few in a hundred.
    rounds(0.4, 0.5),
  );
});

it("makes the same edits undisturbed, and refuses only lines that would stand there twice", () => {
  const kinds = new Map<string, number>();
  for (const hunk of hunks) {
    const { text, problems } = applyEdits(hunk.file, [hunk], { lenient: true });
    if (problems.length === 0) expect(text).toBe(hunk.after);
    else kinds.set(problems[0]?.message.replace(/.*(twice).*/, "$1") ?? "", (kinds.get("twice") ?? 0) + 1);
  }
  expect([...kinds.keys()].filter((kind) => kind !== "twice")).toEqual([]);
  expect((kinds.get("twice") ?? 0) / hunks.length).toBeLessThan(0.01);
});

/** Where two texts differ first. */
function around(text: string, other: string): string {
  let at = 0;
  while (at < text.length && text[at] === other[at]) at++;
  return text.slice(Math.max(0, at - 40), at + 80);
}
