import type { Locale } from "@toolglot/core";
import type { Outcome } from "../../outcome.ts";

/** The changed lines of the diffs in what an edit gave, each file under its name. */
export function changesText({ text = "" }: Outcome): string {
  let inHunk = false;
  const lines = text.split("\n").flatMap((line) => {
    const file = /^(?:Changed|Created) (.+?)(?:: \d+ replacements?)? \(\+\d+(?: -\d+)?\)$/.exec(line)?.[1];
    if (file !== undefined) inHunk = false;
    if (line.startsWith("@@ ")) inHunk = true;
    if (file !== undefined) return [file];
    return inHunk && /^[+-]/.test(line) ? [`  ${line[0]} ${line.slice(1).trim()}`] : [];
  });
  return lines.join("\n");
}

/** The last lines of an output, for a person. */
export function tailText(outcome: Outcome, lines = 12): string {
  const text = (outcome.text ?? outcome.message ?? "").trimEnd();
  return text
    .split("\n")
    .slice(-lines)
    .map((line) => `  ${line}`)
    .join("\n");
}

/** How the tests stand, in a sentence. */
export function testsText(passed: number | undefined, failed: number | undefined, language: Locale): string {
  const zh = language === "zh";
  if (failed === 0 || failed === undefined) {
    if (passed === undefined) return zh ? "测试全部通过。" : "The tests pass.";
    return zh ? `${passed} 个测试全部通过。` : `All ${passed} tests pass.`;
  }
  const of = passed === undefined ? "" : ` ${zh ? "/" : "of"} ${passed + failed}`;
  return zh ? `还有 ${failed}${of} 个测试失败。` : `${failed}${of} tests fail.`;
}
