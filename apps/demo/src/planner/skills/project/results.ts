import type { CallPlan } from "../../plan.ts";
import type { Outcome } from "../../task.ts";
import type { Say } from "../../text.ts";

export type Line = { number: number; text: string };

export type Source = { path: string; lines: Line[] };

/** Parts of a read in the order asked for: files, directories, searches. Each has a head, for a file the path first, and its text. */
export function readParts({ text = "" }: Outcome): { head: string; text: string }[] {
  const heads = [...text.matchAll(/^==> (.*) <==$/gm)];
  return heads.map((head, index) => ({
    head: head[1] ?? "",
    text: text.slice(head.index + head[0].length + 1, heads[index + 1]?.index).replace(/\n+$/, ""),
  }));
}

/** A part as a file; undefined when it is none, or could not be read. */
export function sourceOf(part = { head: "", text: "" }): Source | undefined {
  const [, path, start = "1"] = /^(.+): (?:[\d,]+ lines?|lines? ([\d,]+)(?:–[\d,]+)? of )/.exec(part.head) ?? [];
  const first = Number(start.replaceAll(",", ""));
  return path ? { path, lines: part.text.split("\n").map((text, at) => ({ number: first + at, text })) } : undefined;
}

export function searchMatches({ text }: { text: string }): (Line & { path: string })[] {
  const found = [...text.matchAll(/^(\S[^:\n]*):(\d+): ?(.*)$/gm)];
  return found.map(([, path = "", number, line = ""]) => ({ path, number: Number(number), text: line }));
}

const changedLine =
  /^(?:(?:Changed|Created) (.+?)(?:: \d+ replacements?)? \(\+\d+(?: -\d+)?\)|([+-])(?!-- |\+\+ )(.*))$/gm;

/** The changed lines of the diffs in what an edit gave, each file under its name. */
export const changesText = ({ text = "" }: Outcome): string =>
  [...text.matchAll(changedLine)].map(([, file, sign, line = ""]) => file ?? `  ${sign} ${line.trim()}`).join("\n");

/** The last lines of an output, for a person. */
export function tailText({ text, message = "" }: Outcome, lines = 12): string {
  const all = (text ?? message).trimEnd().split("\n").slice(-lines);
  return all.map((line) => `  ${line}`).join("\n");
}

/** Makes a call, and gives how it ended, whatever that is. */
export function* attempt(name: string, input: Record<string, unknown>): CallPlan<Outcome> {
  const [outcome] = yield [{ name, input, mayFail: true }];
  return outcome as Outcome;
}

export type TestRun = ReturnType<typeof readTestRun> & { outcome: Outcome; passes: boolean };

export function* runTests(): CallPlan<TestRun> {
  const outcome = yield* attempt("command", { script: "npm test" });
  return { ...readTestRun(outcome.text ?? ""), outcome, passes: outcome.status === "ok" && !outcome.running };
}

/** How the tests stand, in a sentence; their output where they did not run to their end. */
export function testsText({ outcome, passes, passed, failed }: TestRun, say: Say): string {
  if ((passes || failed === 0) && passed === undefined) return say`The tests pass. ‖ 测试全部通过。`;
  if (passes || failed === 0) return say`All ${passed} tests pass. ‖ ${passed} 个测试全部通过。`;
  if (failed === undefined)
    return `${say`The tests did not run to their end: ‖ 测试没有跑完：`}\n\n${tailText(outcome)}`;
  const all = (passed ?? 0) + failed;
  return say`${failed} of ${all} tests fail. ‖ 还有 ${failed} / ${all} 个测试失败。`;
}

/** A test that failed, as the runner prints it, and where the assertion stands. */
export type Failure = { name: string; file: string; line: number; expected?: string; actual?: string };

/** Reads the output of Node's test runner, as it is in a terminal (spec) and in a pipe (TAP); `undefined` is what it does not say. */
export function readTestRun(output: string) {
  const count = (what: string): number | undefined => {
    const [, found] = new RegExp(`^(?:#|ℹ) ${what} (\\d{1,9})$`, "m").exec(output) ?? [];
    return found === undefined ? undefined : Number(found);
  };
  return { passed: count("pass"), failed: count("fail"), failure: readFailure(output) };
}

// A line about one test, with its name when it failed.
const testLine = /^\s*(?:ok \d+ - |✔ |not ok \d+ - (.+)$|✖ (.+?)(?: \([\d.]+ms\))?$)/gm;
// A frame of a stack that is no file of Node itself.
const frameMark = /(?:\(|\bat )(?:file:\/\/)?((?!node:)[^()\s:]{1,4000}):(\d{1,9}):\d{1,9}\)?/g;

/** The first failure that names its place in a file. */
function readFailure(output: string): Failure | undefined {
  const marks = [...output.matchAll(testLine)];
  for (const [index, mark] of marks.entries()) {
    const name = mark[1] ?? mark[2];
    const block = output.slice(mark.index, marks[index + 1]?.index);
    const frames = name ? [...block.matchAll(frameMark)] : [];
    const [, path = "", line] = frames.find(([, file = ""]) => /[./]test|spec/.test(file)) ?? frames[0] ?? [];
    if (name === undefined || line === undefined) continue;
    const whole = /%(?![\dA-F]{2})/i.test(path) ? path : decodeURIComponent(path);
    // The runner names the file from the project's folder, too.
    const places = [...output.matchAll(/^test at (\S+):\d+:\d+$/gm)].map(([, place = ""]) => place);
    const file = places.find((place) => whole.endsWith(`/${place}`)) ?? whole;
    const found = [...block.matchAll(/^\s*(expected|actual): (.{1,300}?),?$/gm)].reverse();
    return { name, file, line: Number(line), ...Object.fromEntries(found.map(([, key, value]) => [key, value])) };
  }
  return undefined;
}
