/** What only has power at the start of a line: fences, and the first lines of an ATTP document or result. */
const lineMarks =
  /^([ \t]*)([`~])(?=\2\2)|^([ \t]*)(\[{1,2}|t|s|c)(?=[ \t]*tool[_-]?(?:call|result)[ \t]*\]|(?:hought|tatus|ode)[ \t]*=[ \t]*["'])/gim;

/** What has power anywhere: reasoning tags, TAM markers, the tags of ToolsXML, of results and of other formats. */
const inlineMarks =
  /<(?=[ \t]*\|[ \t]*\[|\/?(?:think|thinking|thought|tools|results|tool_calls?|tool_response|function_calls?|invoke)(?![\w-]))/gi;

const zeroWidthSpace = "\u200b";

/**
 * Untrusted text in which no mark of any protocol has power: start markers, reasoning tags, made-up results and fences
 * get a zero-width space (U+200B) after their first character. It reads as before, stays valid as JSON text, and is
 * not changed by a second time. For tool output, pages and files, before a model sees them.
 */
export function neutralize(text: string): string {
  return text.replace(lineMarks, (mark) => mark + zeroWidthSpace).replace(inlineMarks, (mark) => mark + zeroWidthSpace);
}
