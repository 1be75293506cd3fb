// Which test files a plain `npm test` leaves to `.ci/run`: those that take more processor time than `dearSeconds`, as
// `node scripts/dear-tests.mjs` has recorded it, of packages in which nothing has changed. It keeps a plain run within five minutes.
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "./workspace.mjs";

/** From how many seconds of processor time on a test file is dear. */
export const dearSeconds = 1.5;

/** Where the record is, relative to the root: files with their seconds, the dearest first. */
export const recordFile = "scripts/lib/dear-tests.json";

/** @returns {Record<string, number>} */
export const dearTests = () => JSON.parse(readFileSync(join(root, recordFile), "utf8"));

/**
 * The test files to leave out: the dear ones of every folder without a change.
 * @param {readonly string[]} changed Paths, relative to the root.
 * @returns {string[]}
 */
export function leftOut(changed, dear = dearTests()) {
  const folders = new Set(changed.map(folderOf));
  return Object.keys(dear).filter((file) => !folders.has(folderOf(file)) && existsSync(join(root, file)));
}

/** `packages/tam` of `packages/tam/test/parse.test.ts`, `bench` of `bench/test/a.test.ts`. @param {string} path */
const folderOf = (path) => /^(?:(?:packages|apps)\/)?[^/]+/.exec(path)?.[0] ?? path;

/** What differs from the branch that this one follows: commits that it has not, and what is not committed. @returns {string[]} */
export function changedFiles() {
  /** @param {string[]} args */
  const lines = (...args) => {
    try {
      const output = execFileSync("git", args, { cwd: root, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });
      return output.split("\n").filter((line) => line !== "");
    } catch {
      return [];
    }
  };
  const [base] = lines("merge-base", "HEAD", "@{upstream}");
  return [
    ...(base === undefined ? [] : lines("diff", "--name-only", base)),
    ...lines("diff", "--name-only", "HEAD"),
    ...lines("ls-files", "--others", "--exclude-standard"),
  ];
}
