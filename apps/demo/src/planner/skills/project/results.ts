import type { CallPlan, Outcome } from "../../task.ts";
import type { Say } from "../../text.ts";
import { readTestRun, type TestRun } from "./test-output.ts";

/** One part of what `read` gave, a file, a directory or a search: its head, for a file the path first, and the text below. */
type ReadPart = { head: string; text: string };

export type Line = { number: number; text: string };

/** A file as it was read. */
export type Source = { path: string; lines: Line[] };

/** The parts of a read, in the order asked for. */
export function readParts({ text = "" }: Outcome): ReadPart[] {
  const heads = [...text.matchAll(/^==> (.*) <==$/gm)];
  return heads.map((head, index) => ({
    head: head[1] ?? "",
    text: text.slice(head.index + head[0].length + 1, heads[index + 1]?.index).replace(/\n+$/, ""),
  }));
}

/** A part as a file; undefined when it is none, or could not be read. */
export function sourceOf(part: ReadPart | undefined): Source | undefined {
  const [, path, start = "1"] = /^(.+): (?:[\d,]+ lines?|lines? ([\d,]+)(?:–[\d,]+)? of )/.exec(part?.head ?? "") ?? [];
  if (part === undefined || path === undefined) return undefined;
  const first = Number(start.replaceAll(",", ""));
  return { path, lines: part.text.split("\n").map((text, index) => ({ number: first + index, text })) };
}

export function searchMatches({ text }: ReadPart): (Line & { path: string })[] {
  const found = [...text.matchAll(/^(\S[^:\n]*):(\d+): ?(.*)$/gm)];
  return found.map(([, path = "", number, line = ""]) => ({ path, number: Number(number), text: line }));
}

/** The lines that came nearest, as the error of an edit shows them between two lines of its own. */
export function nearestLines({ message = "" }: Outcome): string[] {
  const shown = /^The nearest (?:is|are) lines? .*:\n-{5}.*-{5}\n([\s\S]*?)\n-{5}.*-{5}$/m.exec(message)?.[1];
  return shown?.split("\n").filter((line) => !/^… [\d,]+ more lines?$/.test(line)) ?? [];
}

export function endedWell({ status, running }: Outcome): boolean {
  return status === "ok" && !running;
}

/** The changed lines of the diffs in what an edit gave, each file under its name. */
export function changesText({ text = "" }: Outcome): string {
  let inHunk = false;
  const lines = text.split("\n").flatMap((line) => {
    const file = /^(?:Changed|Created) (.+?)(?:: \d+ replacements?)? \(\+\d+(?: -\d+)?\)$/.exec(line)?.[1];
    if (file !== undefined || line.startsWith("@@ ")) inHunk = file === undefined;
    if (file !== undefined) return [file];
    return inHunk && /^[+-]/.test(line) ? [`  ${line[0]} ${line.slice(1).trim()}`] : [];
  });
  return lines.join("\n");
}

/** The last lines of an output, for a person. */
export function tailText({ text, message = "" }: Outcome, lines = 12): string {
  const all = (text ?? message).trimEnd().split("\n").slice(-lines);
  return all.map((line) => `  ${line}`).join("\n");
}

/** How the tests stand, in a sentence; their output where they did not run to their end. */
export function testsText(tests: Outcome, { passed, failed }: TestRun, say: Say): string {
  if (endedWell(tests) || failed === 0)
    return passed === undefined
      ? say`The tests pass. ‖ 测试全部通过。`
      : say`All ${passed} tests pass. ‖ ${passed} 个测试全部通过。`;
  if (failed === undefined) return `${say`The tests did not run to their end: ‖ 测试没有跑完：`}\n\n${tailText(tests)}`;
  const all = (passed ?? 0) + failed;
  return say`${failed} of ${all} tests fail. ‖ 还有 ${failed} / ${all} 个测试失败。`;
}

/** Makes a call, and gives how it ended, whatever that is. */
export function* attempt(name: string, input: Record<string, unknown>): CallPlan<Outcome> {
  const [outcome] = yield [{ name, input, mayFail: true }];
  return outcome as Outcome;
}

/** How the tests ended, and what they said. */
export function* runTests(): CallPlan<{ tests: Outcome; run: TestRun }> {
  const tests = yield* attempt("command", { script: "npm test" });
  return { tests, run: readTestRun(tests.text ?? "") };
}
