import { asPattern, matchesOf } from "@toolglot/internal";
import type { CallDraft } from "../scan/call-draft.ts";
import type { RowMarks } from "../scan/row-marks.ts";

/**
 * Reports values that hold what closes them, and behind it the name of an argument that the call lacks, or on a line of
 * its own: the opening mark of that argument was damaged or lost, and the value took it in.
 */
export function findUnopened(call: CallDraft, { argClose }: RowMarks): void {
  const closer = argClose?.texts[0];
  const strings = closer === undefined ? [] : (call.strings ?? []).filter(([text]) => text.includes(closer));
  if (closer === undefined || strings.length === 0) return;
  const { block, input, name = "" } = call;
  const lacking = block.host.tools.parameters(name).filter((one) => !(one in input));
  if (lacking.length === 0) return;
  const taken = new RegExp(
    `${asPattern(closer)}\\s{0,99}(?:(?!</)[^\\n]){0,60}?(?:(?<![\\w:-])|(?<=param|parameter|key|value))(?:${lacking.map(asPattern).join("|")})["']?(?:\\s?[<>=:]|\\s[\\w:-]{1,40}=)`,
  );
  for (const [text, span] of strings)
    if (taken.test(text) || closesOnLine(text, closer)) call.slip("doubtful-open", span);
}

/** Whether what closes the value has a line of its own in it, as a writer closes an argument, and nothing in the value opens it. */
function closesOnLine(text: string, closer: string): boolean {
  const opener = closer.replace("</", "<").replace(/\W$/, "");
  let depth = 0;
  for (const { 0: mark, index } of matchesOf(new RegExp(`${asPattern(closer)}|${asPattern(opener)}\\b`, "g"), text)) {
    depth = Math.max(depth, 0) + (mark === closer ? -1 : 1);
    const behind = index + mark.length;
    if (depth < 0 && /^(?:\n|$)/.test(text.charAt(index - 1)) && /^\r?\n/.test(text.slice(behind, behind + 2)))
      return true;
  }
  return false;
}
