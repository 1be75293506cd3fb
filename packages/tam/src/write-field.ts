const zeroWidthSpace = "\u200b";

/** Returns a value in which nothing ends it or opens a field: runs of `«`, and angles after a colon, get a zero-width space. */
export function protect(value: string): string {
  return value
    .replace(/[«《](?=[«《])/g, `$&${zeroWidthSpace}`)
    .replace(/([:：=][^\S\n]{0,99})([»》>])(?=[»》>])/g, `$1$2${zeroWidthSpace}`)
    .replace(/([\p{L}\p{N}_-][:：=][^\S\n]?)(?=»(?!\u200b))/gu, `$1${zeroWidthSpace}`);
}

/**
 * Writes a field of a result, with a value of any kind, protected. One of several lines, or with white space or angles at its
 * ends, gets lines of its own, so that it reads back as it is, less one line break at either end.
 */
export function writeField(key: string, value: string): string {
  const text = protect(value);
  return /\n|^[\s»》>]|[\s«《<]$/.test(text) ? `${key}:»»»\n${text}\n«««` : `${key}:»»»${text}«««`;
}
