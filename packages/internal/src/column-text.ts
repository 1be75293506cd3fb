const escaped = "\u{10ffff}";
const needsEscape = /^\u{10ffff}|\0|\p{Cs}/u;

/**
 * Returns the form of a text in a column of a database. Lone surrogates, which UTF-8 can't express, and NULs, which databases
 * refuse or cut texts at, are escaped, so that different texts stay different. {@link textOfColumn} is the way back.
 */
export function columnText(text: string): string {
  return needsEscape.test(text) ? escaped + JSON.stringify(text) : text;
}

/** Returns the text whose form in a column this is. */
export function textOfColumn(column: string): string {
  return column.startsWith(escaped) ? (JSON.parse(column.slice(escaped.length)) as string) : column;
}
