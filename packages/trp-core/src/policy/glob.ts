/**
 * A test for a glob over the whole text: `*` stands for any text, `?` for one UTF-16 unit, anything else for itself. Takes
 * time in proportion to the product of both lengths at most, whatever they hold.
 */
export function globTest(glob: string): (text: string) => boolean {
  const pattern = glob.replace(/\*+/g, "*");
  if (!/[*?]/.test(pattern)) return (text) => text === pattern;
  if (pattern === "*") return () => true;
  return (text) => fits(pattern, text);
}

/** Left to right; a mismatch goes back to the last `*` only, which takes one character more then. */
function fits(pattern: string, text: string): boolean {
  let at = 0;
  let star = -1;
  let resume = 0;
  let index = 0;
  while (index < text.length) {
    const wanted = pattern[at];
    if (wanted === "*") {
      star = at++;
      resume = index;
    } else if (wanted !== undefined && (wanted === "?" || wanted === text[index])) {
      at++;
      index++;
    } else if (star >= 0) {
      at = star + 1;
      index = ++resume;
    } else {
      return false;
    }
  }
  if (pattern[at] === "*") at++;
  return at === pattern.length;
}
