const encoder = new TextEncoder();

/** UTF-8 bytes of a text. */
export function utf8Length(text: string): number {
  if (text.length > 2_000) return encoder.encode(text).length;
  let bytes = text.length;
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index);
    // A surrogate pair is 4 bytes for 2 units; a lone one becomes U+FFFD, 3 for 1, counted as 2 here and never met.
    if (unit > 0x7f) bytes += unit > 0x7ff && (unit < 0xd800 || unit > 0xdfff) ? 2 : 1;
  }
  return bytes;
}

/** UTF-8 bytes of the JSON text of a string, quotes included; counting ends above `limit`. */
export function quotedLength(text: string, limit: number = Number.POSITIVE_INFINITY): number {
  let bytes = 2;
  for (let index = 0; index < text.length && bytes <= limit; index++) {
    const unit = text.charCodeAt(index);
    if (unit >= 0x20 && unit < 0x80) bytes += unit === 0x22 || unit === 0x5c ? 2 : 1;
    else if (unit < 0x20) bytes += unit === 8 || unit === 9 || unit === 10 || unit === 12 || unit === 13 ? 2 : 6;
    else bytes += unit < 0x800 || (unit >= 0xd800 && unit <= 0xdfff) ? 2 : 3;
  }
  return bytes;
}
