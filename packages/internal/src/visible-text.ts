/**
 * What can't be seen, or changes how other text looks: controls, formats (bidi among them), line breaks, spaces that look
 * like another, letters without a shape, lone surrogates, private and unassigned code points.
 */
const unseen = /[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]|(?! )\p{Zs}/gu;

/**
 * Returns a text of unknown origin as a person can be shown it on one line: what can't be seen, and what would change how the
 * rest looks, stands as `written` has it, by default as its code point.
 */
export function visibleText(text: string, written: (letter: string) => string = codePoint): string {
  return text.replace(unseen, written);
}

function codePoint(letter: string): string {
  if (letter === "\n") return "\\n";
  if (letter === "\r") return "\\r";
  if (letter === "\t") return "\\t";
  return `\\u{${(letter.codePointAt(0) ?? 0).toString(16).toUpperCase()}}`;
}
