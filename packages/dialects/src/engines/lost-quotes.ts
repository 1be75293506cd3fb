import { asPattern, matchesOf } from "@toolglot/internal";
import type { CallDraft } from "../scan/call-draft.ts";

/**
 * Reports strings of a call that hold what begins another argument, which the call lacks: a quote or comma that was lost lets them take
 * it in. `sign`: what stands behind the name of an argument.
 */
export function findTaken(call: CallDraft, sign: "=" | ":"): void {
  const { block, input, name = "" } = call;
  const strings = (call.strings ?? []).filter(([text]) => text.includes(sign));
  if (strings.length === 0) return;
  const lacking = block.host.tools.parameters(name).filter((one) => !(one in input));
  if (lacking.length === 0) return;
  // Where quotes are escaped, one that was lost ends the string before the next one, unless two are lost or there is another kind.
  const before = block.row.plainSingleQuotes ? "(?:^|[\\s,'\"])" : "[,'\"]\\s?";
  const key = `(?:${lacking.map(asPattern).join("|")})\\s?${sign}`;
  const taken = new RegExp(`${before}${key}(?!=)|\\s${key}\\s?["']`, "g");
  for (const [text, span] of strings) if (isTaken(text, taken)) call.slip("doubtful-open", span);
}

/** Whether one stands outside of all brackets in the text: within them it is an argument of a call in the text itself. */
function isTaken(text: string, taken: RegExp): boolean {
  let depth = 0;
  let from = 0;
  for (const { index } of matchesOf(taken, text)) {
    for (const [bracket] of text.slice(from, index).matchAll(/[([{)\]}]/g)) depth += "([{".includes(bracket) ? 1 : -1;
    if (depth <= 0) return true;
    from = index;
  }
  return false;
}
