/** Writes a text as one word of bash, whatever is in it (NUL excepted, which no word can hold). */
export function quoteWord(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
