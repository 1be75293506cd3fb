import { asPattern } from "@toolglot/internal";
import type { CallDraft } from "../scan/call-draft.ts";
import type { RowMarks } from "../scan/row-marks.ts";

/**
 * Reports values that hold what closes them, and behind it the name of an argument that the call lacks: its opening mark was damaged, and
 * the value took it in.
 */
export function findUnopened(call: CallDraft, { argClose, row }: RowMarks): void {
  // What stands in CDATA was meant.
  const closer = row.arguments.cdata ? undefined : argClose?.texts[0];
  const strings = closer === undefined ? [] : (call.strings ?? []).filter(([text]) => text.includes(closer));
  if (closer === undefined || strings.length === 0) return;
  const { block, input, name = "" } = call;
  const lacking = block.host.tools.parameters(name).filter((one) => !(one in input));
  if (lacking.length === 0) return;
  const taken = new RegExp(
    `${asPattern(closer)}\\s{0,99}(?:(?!</)[^\\n]){0,60}?(?:(?<![\\w:-])|(?<=param|parameter|key|value))(?:${lacking.map(asPattern).join("|")})["']?\\s?[<>=:]`,
  );
  for (const [text, span] of strings) if (taken.test(text)) call.slip("doubtful-open", span);
}
