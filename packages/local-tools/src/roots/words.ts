/** Longest path told in full. */
const longestPath = 300;

/** A path as messages name it: on one line, quoted when it holds control or direction characters, and not endless. */
export function inMessage(path: string): string {
  const cut =
    path.length > longestPath
      ? `${path.slice(0, longestPath).replace(/[\ud800-\udbff]$/, "")}… (${path.length} characters)`
      : path;
  return needsQuotes(cut) ? quoted(cut) : cut;
}

/** Whether a name would break a line, or read as another than it is. */
export function needsQuotes(name: string): boolean {
  return /[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]/u.test(name);
}

/** A JSON string with everything that does not show spelled out. */
export function quoted(name: string): string {
  return JSON.stringify(name).replace(/[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]/gu, (hidden) =>
    [...Array(hidden.length).keys()].map((at) => `\\u${hidden.charCodeAt(at).toString(16).padStart(4, "0")}`).join(""),
  );
}
