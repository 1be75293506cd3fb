/** Checks for a space or tab. */
export function isBlank(code: number): boolean {
  return code === 32 || code === 9;
}

/** Checks for white space of any script within a line, a carriage return among it. */
export function isLineSpace(code: number): boolean {
  if (code < 160) return code === 32 || code === 9 || (code > 10 && code < 14);
  return (code < 0x3001 || code === 0xfeff) && /\s/.test(String.fromCharCode(code));
}

/**
 * What no font shows, as a class of a pattern: marks of format and fillers, without those that change the character before them, and
 * without marks of direction, which order the text.
 */
export const invisible =
  "\\u00ad\\u115f\\u1160\\u180e\\u200b-\\u200d\\u2060-\\u2064\\u206a-\\u206f\\u3164\\ufeff\\uffa0";
const invisibleUnit = /* @__PURE__ */ new RegExp(`[${invisible}]`);
const unseenText = /* @__PURE__ */ new RegExp(`^[\\s${invisible}]*$`);

/** Checks whether no font shows a unit, though it is no white space. */
export function isInvisible(code: number): boolean {
  return (
    code > 172 && (code < 0x2070 || code > 0xfefe || code === 0x3164) && invisibleUnit.test(String.fromCharCode(code))
  );
}

/** Checks whether a unit is neither white space nor invisible. */
export function isSeen(code: number): boolean {
  return code !== 10 && !isLineSpace(code) && !isInvisible(code);
}

const invisibleUnits = /* @__PURE__ */ new RegExp(`[${invisible}]`, "g");

/** Takes invisible characters off the edges of a text, and leaves the white space there. */
export function withoutInvisible(text: string): string {
  let first = 0;
  let last = text.length;
  while (first < last && !isSeen(text.charCodeAt(first))) first += 1;
  while (last > first && !isSeen(text.charCodeAt(last - 1))) last -= 1;
  if (!invisibleUnit.test(text.slice(0, first) + text.slice(last))) return text;
  const edge = (part: string): string => part.replace(invisibleUnits, "");
  return edge(text.slice(0, first)) + text.slice(first, last) + edge(text.slice(last));
}

/** Checks whether a reader sees nothing of a text: it is empty, or nothing but white space of any script and invisible characters. */
export function isUnseen(text: string): boolean {
  return unseenText.test(text);
}

const emphasis = /^(([*_~`´＊＿])\2{0,2})(?=\S)(?:(?!\2)[^\n])+(?<=\S)\1$/;
const quotation = /^\p{Quotation_Mark}[^\n]*\p{Quotation_Mark}$/u;

/** Letters and digits of ASCII, the marks of paths, and Han: most values begin and end with them. */
const isPlain = (code: number): boolean =>
  (code > 45 && code < 58) || (code > 64 && code < 91) || (code > 96 && code < 123) || (code > 0x33ff && code < 0xa000);

/**
 * Checks whether a value of one line is dressed: it stands in one pair of quotes or of emphasis, in any script, or begins or ends with what
 * nobody sees. A name between underscores is a name.
 */
export function isDressed(text: string): boolean {
  const end = text.length - 1;
  if (end < 0 || (isPlain(text.charCodeAt(0)) && isPlain(text.charCodeAt(end)))) return false;
  const [first, last] = [text.charAt(0), end > 0 ? text.charAt(end) : "x"] as const;
  if (isUnseen(first) || isUnseen(last)) return true;
  if (quotation.test(text) && (first === last || !/["']/.test(first + last))) {
    const inside = text.slice(1, -1);
    return (inside !== "" || /["']/.test(first)) && !inside.includes(first) && !inside.includes(last);
  }
  return emphasis.test(text) && !/^_\w+_$/.test(text);
}

/** Checks for white space of ASCII: space, tab, line feed, vertical tab, form feed, carriage return. */
export function isSpace(code: number): boolean {
  return code === 32 || (code >= 9 && code <= 13);
}

/** Returns the index of the next line break; the length of a text that has no more of them. */
export function lineEnd(text: string, from: number): number {
  const at = text.indexOf("\n", from);
  return at < 0 ? text.length : at;
}

/**
 * Returns the index of the last line break before one index and from another on; -1 when there is none. `lastIndexOf` is no compiled code:
 * for the few units of a chunk it takes several times as long.
 */
export function lastLineBreak(text: string, from: number, to: number): number {
  let at = to - 1;
  while (at >= from && text.charCodeAt(at) !== 10) at -= 1;
  return at < from ? -1 : at;
}

/** Returns what a sticky pattern matches at an index. */
export function matchAt(pattern: RegExp, text: string, index: number): RegExpExecArray | null {
  pattern.lastIndex = index;
  return pattern.exec(text);
}

/**
 * Returns all matches of a global pattern that matches no empty text. `matchAll` would copy the pattern, which takes longer than a short
 * text to search.
 */
export function matchesOf(pattern: RegExp, text: string): RegExpExecArray[] {
  const found: RegExpExecArray[] = [];
  for (let match = matchAt(pattern, text, 0); match; match = pattern.exec(text)) found.push(match);
  return found;
}

/** Returns a text as a pattern that matches it and nothing else. */
export const asPattern = (text: string): string => text.replace(/[\^$\\.*+?()[\]{}|]/g, "\\$&");
