import { execFileSync } from "node:child_process";
import { argv, exit } from "node:process";
import { applyEdits } from "../../src/edit/apply-edits.ts";
import { disturbances, type Outcome, outcomeOf } from "./disturbed.ts";
import type { Hunk } from "./edits.ts";
import { numbers } from "./sources.ts";

// What `scripts/edits-over-history.mjs` runs: the changes of real commits, each as an edit that a model or a channel spoils.

const [repository = ".", commits = "100"] = argv.slice(2);
const wanted = Number(commits);
const hunksEach = 4;
const waysEach = 4;
const random = numbers(31);
const ways = Object.keys(disturbances).sort(() => random() - 0.5);

const git = (...words: string[]): string =>
  execFileSync("git", ["-C", repository, ...words], {
    encoding: "utf8",
    maxBuffer: 2 ** 28,
    stdio: ["ignore", "pipe", "ignore"],
  });

const withLf = (text: string): string => text.replaceAll("\r\n", "\n");

/** Returns the changes of a commit, each with two lines around it, as edits of the files before it. */
function hunksOf(commit: string): Hunk[] {
  const found: Hunk[] = [];
  const diff = git(
    "show",
    "--format=",
    "--diff-filter=M",
    "-U2",
    "--no-color",
    "--no-ext-diff",
    "--no-renames",
    commit,
  );
  for (const part of diff.split(/^diff --git /m).slice(1)) {
    const path = /^--- a\/(.+)$/m.exec(part)?.[1];
    if (path === undefined || /^Binary files|^\\ No newline/m.test(part)) continue;
    const file = git("show", `${commit}^:${path.replace(/\t$/, "")}`);
    if (file.length > 200_000 || /[\0\ufffd]/.test(file)) continue;
    for (const [at, hunk] of part
      .split(/^@@ .*\n/m)
      .slice(1)
      .entries()) {
      const lines = hunk.replace(/\n$/, "").split("\n");
      const side = (sign: string): string =>
        lines.flatMap((line) => (line.startsWith(sign) ? [] : [line.slice(1)])).join("\n");
      // The last line's end is no part of either half; models write LF, whatever the file has.
      const [find = "", replace = ""] = [side("+"), side("-")].map((half) => half.replace(/\r$/, ""));
      const [before, behind, more] = file.split(find);
      if (find.trim() === "" || before === undefined || behind === undefined || more !== undefined) continue;
      const [name, after] = [`${commit.slice(0, 10)} ${path} ${at + 1}`, before + replace + behind];
      found.push({ file, find: withLf(find), replace: withLf(replace), after, name });
    }
  }
  return found.sort(() => random() - 0.5).slice(0, hunksEach);
}

const outcomes: Record<Outcome, number> = { wrong: 0, exact: 0, forgiven: 0, refused: 0, written: 0 };
/** Of all, and of those whose `find`, or both halves, were disturbed. */
const [counts, inFind] = [{ ...outcomes }, { ...outcomes }];
let seen = 0;
let turn = 0;
const all = git("rev-list", "--no-merges", "--min-parents=1", "HEAD").split("\n").filter(Boolean);
// From the whole history, as far as there are enough.
const step = Math.max(1, Math.floor(all.length / (2 * wanted)));
for (let at = 0; at < all.length && seen < wanted; at += step) {
  const hunks = hunksOf(all[at] as string);
  seen += Number(hunks.length > 0);
  for (const hunk of hunks)
    for (let each = 0; each < waysEach; each += 1) {
      const way = ways[turn++ % ways.length] as string;
      const made = outcomeOf(hunk, way, (file, edit) => {
        const { text, problems } = applyEdits(file, [edit], { lenient: true });
        return problems.length > 0 ? undefined : text;
      });
      if (made === undefined) continue;
      counts[made.outcome] += 1;
      if (!way.endsWith("in replace")) inFind[made.outcome] += 1;
      if (made.outcome === "wrong" && counts.wrong <= 3)
        console.log(
          JSON.stringify({ name: hunk.name, way, find: made.disturbed.find, replace: made.disturbed.replace }),
        );
    }
}
const sumOf = (of: Record<Outcome, number>): number => Object.values(of).reduce((one, other) => one + other, 0);
const tell = (of: Record<Outcome, number>): string =>
  `${sumOf(of)}: ${Object.entries(of)
    .map(([name, count]) => `${name} ${count} (${((100 * count) / Math.max(1, sumOf(of))).toFixed(1)} %)`)
    .join(", ")}`;
console.log(`disturbed edits of ${seen} commits, ${tell(counts)}`);
console.log(`with find, or both halves, disturbed, ${tell(inFind)}`);
if (seen < wanted) console.log(`The history has only ${seen} commits that change text files.`);
exit(counts.wrong > 0 || sumOf(counts) === 0 ? 1 : 0);
