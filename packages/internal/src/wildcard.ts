/**
 * Checks whether a pattern with stars fits all of something: `length` parts of the pattern against `end` parts of a text or a path.
 * `isStar`: which part of the pattern stands for any number of parts. `fits`: whether any other stands for the one at `on`.
 * When something doesn't fit, the last star takes one part more: no earlier one can do better. So it takes `length` × `end` steps
 * at most.
 */
export function matchWildcard(
  length: number,
  end: number,
  isStar: (at: number) => boolean,
  fits: (at: number, on: number) => boolean,
): boolean {
  let at = 0;
  let on = 0;
  let star = -1;
  let taken = 0;
  while (on < end) {
    if (at < length && isStar(at)) {
      star = at++;
      taken = on;
    } else if (at < length && fits(at, on)) {
      at++;
      on++;
    } else if (star !== -1) {
      at = star + 1;
      on = ++taken;
    } else {
      return false;
    }
  }
  while (at < length && isStar(at)) at++;
  return at === length;
}

/** Returns a test for a wildcard over the whole text: `*` stands for any text, `?` for one UTF-16 unit, anything else for itself. */
export function wildcardTest(pattern: string): (text: string) => boolean {
  if (!/[*?]/.test(pattern)) return (text) => text === pattern;
  return (text) =>
    matchWildcard(
      pattern.length,
      text.length,
      (at) => pattern[at] === "*",
      (at, on) => pattern[at] === "?" || pattern[at] === text[on],
    );
}
