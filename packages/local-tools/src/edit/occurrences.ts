/** Up to this many comparisons the engine's own search is taken, whose worst case is the product of both lengths. */
const nativeLimit = 1_000_000_000;
/** So far the engine's own search is linear enough in any case. */
const nativeFind = 256;

/**
 * Calls `visit` with the offset of each occurrence, in order, until it answers `false`. `overlapping`: "aa" stands twice in
 * "aaa", not once. `find` must not be empty. Linear in both lengths, whatever they hold.
 */
export function eachOccurrence(
  text: string,
  find: string,
  overlapping: boolean,
  visit: (at: number) => boolean | undefined,
): void {
  if (find === "") throw new TypeError("find must not be empty: it would occur everywhere");
  if (find.length > nativeFind && text.length * find.length > nativeLimit) {
    eachByPrefixTable(text, find, overlapping, visit);
    return;
  }
  const step = overlapping ? 1 : find.length;
  for (let at = text.indexOf(find); at !== -1; at = text.indexOf(find, at + step)) {
    if (visit(at) === false) return;
  }
}

/** Visits occurrences by Knuth, Morris and Pratt: never looks at a character of the text twice. */
function eachByPrefixTable(
  text: string,
  find: string,
  overlapping: boolean,
  visit: (at: number) => boolean | undefined,
): void {
  const borders = borderLengths(find);
  let matched = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    while (matched > 0 && find.charCodeAt(matched) !== code) matched = borders[matched - 1] as number;
    if (find.charCodeAt(matched) === code) matched++;
    if (matched < find.length) continue;
    if (visit(at - find.length + 1) === false) return;
    matched = overlapping ? (borders[matched - 1] as number) : 0;
  }
}

/** Returns for each prefix how long a shorter prefix it ends with. */
function borderLengths(find: string): Int32Array {
  const borders = new Int32Array(find.length);
  let length = 0;
  for (let at = 1; at < find.length; at++) {
    const code = find.charCodeAt(at);
    while (length > 0 && find.charCodeAt(length) !== code) length = borders[length - 1] as number;
    if (find.charCodeAt(length) === code) length++;
    borders[at] = length;
  }
  return borders;
}
