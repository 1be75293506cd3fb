import { neutralize } from "@toolglot/core";
import { asPattern } from "@toolglot/internal";
import { elementNames, tokens } from "../table/marks.ts";

/** Tokens with bars, tags of the table's elements, its other tokens, and what calls only at the start of a line. */
const marks: RegExp = /* @__PURE__ */ new RegExp(
  `<(?=/?[|｜‖]|\\w{1,40}[|｜]>|/?(?:${elementNames.map(asPattern).join("|")})(?![\\w-]))` +
    `|(?=${tokens.map(asPattern).join("|")})[^]|^>(?=>>\\S)`,
  "gim",
);

/**
 * Returns untrusted text in which no mark of any protocol or dialect has power: each gets a zero-width space (U+200B) behind its first
 * character. Text that is JSON stays so.
 */
export function neutralizeMarks(text: string): string {
  return neutralize(text).replace(marks, "$&\u200b");
}
