import { cutText } from "@toolglot/core/results";

/** Returns a count as people write it: `5,310`. */
export function counted(count: number): string {
  return count.toLocaleString("en-US");
}

/** Returns a count with its noun: `1 line`, `5,310 lines`. */
export function several(count: number, one: string, many = `${one}s`): string {
  return `${counted(count)} ${count === 1 ? one : many}`;
}

/** Returns a size: exact up to 10,000 bytes, then in kB, MB or GB of a thousand. */
export function sized(bytes: number): string {
  if (bytes < 10_000) return several(bytes, "byte");
  const units = ["kB", "MB", "GB", "TB"];
  let size = bytes / 1000;
  let unit = 0;
  while (size >= 1000 && unit < units.length - 1) {
    size /= 1000;
    unit++;
  }
  return `${size.toFixed(size < 100 ? 1 : 0)} ${units[unit]}`;
}

/** The longest path that a message shows in full. */
const maxPathLength = 300;

/** Returns a path as messages show it: on one line, quoted when it holds control or direction characters, and cut when it is very long. */
export function inMessage(path: string): string {
  const cut = path.length > maxPathLength ? `${cutText(path, maxPathLength)}… (${path.length} characters)` : path;
  return needsQuotes(cut) ? quoted(cut) : cut;
}

/** Returns how Unicode names a character: `U+00E9`. */
export function codePointOf(character: string): string {
  return `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}`;
}

/** Checks whether a name would break a line, or look like another name. */
export function needsQuotes(name: string): boolean {
  return /[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]/u.test(name);
}

/** Returns a JSON string in which every invisible character is escaped. */
export function quoted(name: string): string {
  return JSON.stringify(name).replace(/[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]/gu, (hidden) =>
    [...Array(hidden.length).keys()].map((at) => `\\u${hidden.charCodeAt(at).toString(16).padStart(4, "0")}`).join(""),
  );
}
