import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { isThorough, leftToCi } from "@toolglot/internal/testing";
import { afterAll, beforeAll, expect, it } from "vitest";
import { buildDemo, type Ended, root, startDemo } from "../support/child.ts";
import { runDemo } from "../support/in-process.ts";
import { filesOf, testsPass } from "../support/project.ts";
import { sampled } from "../support/sample.ts";

const sample = join(root, "apps/demo/data/project");
const folder = mkdtempSync(join(tmpdir(), "demo-project-cli-"));
const fix = "Fix the failing test in the project";
let folders = 0;

/** A data folder of its own. */
function freshFolder(): string {
  folders += 1;
  return join(folder, `data ${folders}`);
}

const argumentsFor = (data: string, ...args: string[]): string[] => [
  "--data-dir",
  data,
  "--protocol",
  "toolsxml",
  ...args,
];
const demo = (data: string, ...args: string[]): Promise<Ended> =>
  // The user's own store of values is none of a test's business.
  runDemo(argumentsFor(data, ...args), { env: { XDG_DATA_HOME: folder } });
const undo = (data: string, ...args: string[]): Promise<Ended> => runDemo(["undo", "--data-dir", data, ...args]);
const project = (data: string): string => join(data, "project");

beforeAll(async () => {
  await buildDemo();
}, 180_000);

afterAll(() => rmSync(folder, { recursive: true, force: true }));

it("should take the tour: read, search, run, correct an edit, rename, answer a script, use a value, and leave tests that pass", async (context) => {
  leftToCi(context);
  const data = freshFolder();
  const { code, stdout, stderr } = await demo(data);
  expect(code).toBe(0);
  expect(stderr).toMatch(/Commands are (confined \(bwrap\)|not confined\. The shell can't be confined: )/);
  expect(stdout).toContain("id: 1042");
  expect(stdout).toContain("trailtime 1.2.0");
  expect(stdout).toMatch(/✗ edit src\/bands\.js FindMissing[\s\S]*The nearest is line 7/);
  expect(stdout).toContain("+    if (band.from <= value) found = band;");
  expect(stdout).toContain("10 个测试全部通过");
  expect(stdout).toMatch(/\$ npm test\n {2}✓ exit 0, \d+ ms\n/);
  expect(stdout).toMatch(/\$ npm test\n {2}✗ exit 1, \d+ ms\n/);
  expect(stdout).toContain("formatDuration is durationText now");
  expect(stdout).toContain('input "y\\n"');
  expect(stdout).toContain("Published trailtime 1.3.0");
  expect(stdout).toContain('200 {"accepted":true,"authorization":"Bearer ‹TOUR_TOKEN›"}');
  expect(stderr).toContain("Nobody is at a terminal, so the tour gives it itself");
  expect(stdout + stderr).not.toMatch(/tour-[0-9a-f]{12}/);
  expect(stdout).toContain("shipping-delays");
  expect(stdout).not.toContain("\u001b[");
  expect(testsPass(project(data))).toBe(true);
  // What was done stays: the next tour says so, and finds nothing to fix.
  const again = await demo(data, ...(isThorough ? [] : ["--yes", "修复项目里失败的测试"]));
  expect(again.code).toBe(0);
  if (isThorough) expect(again.stdout).toContain("The project has changes from before; --reset");
  expect(again.stdout).toContain("没有需要修复的");
  expect((await demo(data, "--reset", "What is in the project?")).stdout).toContain("trailtime 1.2.0");
  expect(filesOf(project(data))).toEqual(filesOf(sample));
});

it("should run commands unconfined with --sandbox off, and say so", async (context) => {
  leftToCi(context);
  const { code, stderr } = await demo(freshFolder(), "--sandbox", "off", "--yes", fix);
  expect(code).toBe(0);
  expect(stderr).toContain("Commands are not confined (--sandbox off).");
});

sampled(false)("should take the tour with slips in the blocks, and come to the same", async () => {
  const data = freshFolder();
  const { code, stdout } = await demo(data, "--messy");
  expect(code).toBe(0);
  expect(stdout).toContain("toolsxml/truncated");
  expect(stdout).toContain("sent back to the model");
  expect(testsPass(project(data))).toBe(true);
  expect(JSON.parse(readFileSync(join(project(data), "package.json"), "utf8")).version).toBe("1.3.0");
});

it("should undo after the process has ended, one change after another, and say when there is none", async () => {
  const data = freshFolder();
  const nothing = await undo(data);
  expect(nothing).toMatchObject({ code: 1, stdout: "" });
  expect(nothing.stderr).toContain("nothing to undo");
  expect((await undo(data, "--list")).stdout).toBe("No changes.\n");
  await startDemo(argumentsFor(data, "--yes", fix)).ended;
  await demo(data, "--yes", "rename formatDuration to durationText everywhere");
  const list = await undo(data, "--list");
  expect(list.code).toBe(0);
  expect(list.stdout.trim().split("\n")).toHaveLength(2);
  // Nothing of a change is undone when one of its files was changed since.
  const file = join(project(data), "src/walk.js");
  const text = readFileSync(file, "utf8");
  writeFileSync(file, `${text}// mine\n`);
  const refused = await undo(data);
  expect(refused).toMatchObject({ code: 1, stdout: "" });
  expect(refused.stderr).toContain("src/walk.js");
  expect(readFileSync(file, "utf8")).toContain("// mine");
  writeFileSync(file, text);
  const first = await undo(data);
  expect(first.code).toBe(0);
  expect(first.stdout).toContain("+export function formatDuration(minutes) {");
  const second = await undo(data);
  expect(second.stdout).toMatch(/Restored src\/bands\.js[\s\S]*- {4}if \(band\.from <= value\)/);
  expect(filesOf(project(data))).toEqual(filesOf(sample));
  expect((await undo(data)).code).toBe(1);
  const records = (await undo(data, "--list", "--json")).stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  expect(records.map(({ state }) => state).sort()).toEqual(["done", "done", "undone", "undone"]);
});

it.each([
  [["undo", "--frobnicate"], /unknown option/],
  [["undo", "one", "two"], /too many arguments/],
])("should refuse %j with exit code 2", async (args, message) => {
  const { code, stderr } = await runDemo(args);
  expect(code).toBe(2);
  expect(stderr).toMatch(message);
});

it("should run no command without consent: exit code 4, and nothing changed", async () => {
  const data = freshFolder();
  const { code, stdout } = await demo(data, fix);
  expect(code).toBe(4);
  expect(stdout).toMatch(/no terminal to ask at.*--yes/s);
  expect(filesOf(project(data))).toEqual(filesOf(sample));
});

it("should leave a project that was fixed already as it is", async () => {
  const data = freshFolder();
  mkdirSync(data);
  cpSync(sample, project(data), { recursive: true });
  const file = join(project(data), "src/bands.js");
  writeFileSync(file, readFileSync(file, "utf8").replace(" < ", " <= "));
  const { code, stdout } = await demo(data, "--yes", fix);
  expect(code).toBe(0);
  expect(stdout).toContain("There is nothing to fix: all 10 tests pass.");
  expect((await undo(data, "--list")).stdout).toBe("No changes.\n");
});

it("should write nothing but events with --json, and give them again in a replay", async (context) => {
  leftToCi(context);
  const data = freshFolder();
  const file = join(folder, "run.jsonl");
  const { code, stdout } = await demo(data, "--yes", "--json", "--record", file, "--slip", "outdated-find", fix);
  expect(code).toBe(0);
  const events = stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as { type: string; name?: string });
  expect(events.filter(({ type }) => type === "tool-call-end").map(({ name }) => name)).toContain("edit");
  expect((await runDemo(["--json", "--replay", file])).stdout).toBe(stdout);
});

it("should say so in words when there is no bash", async () => {
  const data = freshFolder();
  const empty = join(folder, "empty");
  mkdirSync(empty, { recursive: true });
  const { code, stdout, stderr } = await runDemo(argumentsFor(data, "--yes", fix), { env: { PATH: empty } });
  expect(code).toBe(0);
  expect(stdout).toMatch(/This did not work: ShellUnavailable: .*bash/);
  expect(stdout + stderr).not.toMatch(/\n\s+at /);
});

it("should work with pipes where there is no pseudo-terminal to be had, and say so", async (context) => {
  leftToCi(context);
  const data = freshFolder();
  const hooks =
    "export async function resolve(name, context, next) { if (name === '@lydell/node-pty') throw new Error('none here'); return next(name, context); }";
  const file = join(folder, "no-pty.mjs");
  writeFileSync(
    file,
    `import { register } from "node:module";\nregister("data:text/javascript," + encodeURIComponent(${JSON.stringify(hooks)}));\n`,
  );
  const args = argumentsFor(data, "--yes", fix);
  const { code, stdout, stderr } = await startDemo(args, { NODE_OPTIONS: `--import=${pathToFileURL(file)}` }).ended;
  expect(code).toBe(0);
  expect(stdout).toContain("All 10 tests pass");
  expect(stderr).toMatch(/without a terminal of their own:\n.*none here/);
});
