import { reasoningName, reasoningTexts, turnToken } from "./text-marks.ts";

const space = "[ \\t\\u00a0\\u2000-\\u200b\\u202f\\u3000\\ufeff]*";
const equals = `["']?${space}[=\\uff1d:\\uff1a]${space}`;

/** What only has power at the start of a line: fences, and the first lines of an ATTP document or result. */
const lineMarks = new RegExp(
  [
    `^${space}([\`~])(?=\\1\\1)`,
    `^${space}[[\\uff3b]{1,2}(?=[ \\t]*["']?tool[-_ ]?(?:calls?|result)["']?[ \\t]*[\\]\\uff3d])`,
    `^${space}["']?[tsc](?=(?:hought|ode)${equals}["'“”‘’\`]|tatus${equals}["'“‘]?(?:success|fail)|ool[-_ ]?calls?["']?${space}(?:\\.|[=\\uff1d:\\uff1a]${space}\\{))`,
  ].join("|"),
  "gim",
);

/** Where a document or an envelope begins as JSON. The space goes into the key, so that the text stays valid as JSON. */
const jsonMarks =
  /^([^\S\n]*(?:\{\s*)?"[tsr])(?=(?:hought|ool_call)"\s*:|(?:ools|eply)"\s*:\s*"|tatus"\s*:\s*"(?:success|fail)")/gm;

/** What has power anywhere: marks of reasoning and turns, TAM markers, the tags of ToolsXML, of results and of other formats. */
const inlineMarks = new RegExp(
  `<(?=[ \\t]*\\|[ \\t]*\\[|/?(?:${reasoningName}|tools|results|tool_calls?|tool_response|function_calls?|invoke)(?![\\w-]))` +
    `|(?=${turnToken.source})[<[]|(?=${reasoningTexts})[^]`,
  "gi",
);

const zeroWidthSpace = "\u200b";

/**
 * Returns untrusted text in which no mark of any protocol has power: start markers, reasoning tags, made-up results and fences
 * get a zero-width space (U+200B) after their first character. It reads as before, stays valid as JSON text, and is
 * not changed by a second time. For tool output, pages and files, before a model sees them.
 *
 * @example
 * ```ts
 * const shown = neutralize("<tools>"); // "<\u200btools>"
 * ```
 */
export function neutralize(text: string): string {
  return text
    .replace(lineMarks, (mark) => mark + zeroWidthSpace)
    .replace(jsonMarks, (mark) => mark + zeroWidthSpace)
    .replace(inlineMarks, (mark) => mark + zeroWidthSpace);
}

/**
 * Returns the text that {@link neutralize} was given: takes off the zero-width spaces that it puts in, and no others. For text that a
 * model copied from a result into something that must be exact. Any other text stays as it is.
 *
 * @example
 * ```ts
 * const exact = undoNeutralize("<\u200btools>"); // "<tools>"
 * ```
 */
export function undoNeutralize(text: string): string {
  if (!text.includes(zeroWidthSpace)) return text;
  const plain = text.replaceAll(zeroWidthSpace, "");
  const marked = neutralize(plain);
  let restored = "";
  let at = 0;
  let inMarked = 0;
  for (const char of plain) {
    for (; text[at] === zeroWidthSpace; at++) restored += zeroWidthSpace;
    restored += char;
    at += char.length;
    inMarked += char.length;
    if (marked[inMarked] !== zeroWidthSpace) continue;
    inMarked += 1;
    if (text[at] === zeroWidthSpace) at += 1;
  }
  return restored + text.slice(at);
}
