/** Returns FNV-1a over UTF-16 units, in base 36: for ids that are the same in every run. */
export function textHash(text: string): string {
  let value = 0x811c9dc5;
  for (let index = 0; index < text.length; index++) {
    value = Math.imul(value ^ text.charCodeAt(index), 0x01000193);
  }
  return (value >>> 0).toString(36);
}
