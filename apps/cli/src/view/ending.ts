import type { RunResult } from "@toolglot/agent";
import type { Words } from "../words/index.ts";
import type { Style } from "./style.ts";
import { visible } from "./visible.ts";

/** What the end of a run adds to what was drawn already. `textShown`: the text of its answer was. */
export function endingText(
  { status, text, limit, error }: RunResult,
  textShown: boolean,
  words: Words,
  style: Style,
): string {
  switch (status) {
    case "answered":
    case "stopped":
    case "waiting":
      return "";
    case "result":
      return `  ${style.strong(words.result)} ${visible(text)}\n\n`;
    case "declined":
      return textShown ? "" : `  ${visible(text)}\n\n`;
    case "aborted":
      return `  ${style.warn(words.cancelled)}\n\n`;
    case "limit":
      return `  ${style.warn(words.limit(limit))}\n\n`;
    case "error":
      return `  ${style.bad(visible(`${error?.code ?? "error"}: ${error?.message ?? ""}`))}\n\n`;
  }
}
