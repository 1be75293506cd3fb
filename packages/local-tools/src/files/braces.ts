/** Returns all that a pattern with `{a,b}` in it stands for, in order; undefined when that is more than `most`. */
export function expandBraces(pattern: string, most: number): string[] | undefined {
  const all: string[] = [];
  const pending = [pattern];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const either = firstBraces(next);
    if (either === undefined) all.push(next);
    else pending.push(...either.reverse());
    if (all.length + pending.length > most) return undefined;
  }
  return all;
}

/** Returns the alternatives of the first `{a,b}`; undefined when there is none. */
function firstBraces(pattern: string): string[] | undefined {
  for (let start = 0; start < pattern.length; start++) {
    if (pattern[start] === "\\") start++;
    else if (pattern[start] === "{") {
      const end = closing(pattern, start);
      if (end === undefined) continue;
      const choices = splitOutsideBraces(pattern.slice(start + 1, end), (char) => char === ",");
      if (choices.length > 1) return choices.map((choice) => pattern.slice(0, start) + choice + pattern.slice(end + 1));
    }
  }
  return undefined;
}

function closing(pattern: string, start: number): number | undefined {
  let depth = 0;
  for (let at = start; at < pattern.length; at++) {
    if (pattern[at] === "\\") at++;
    else if (pattern[at] === "{") depth++;
    else if (pattern[at] === "}" && --depth === 0) return at;
  }
  return undefined;
}

/** Splits where no brace is open; an open one that is never closed doesn't count. */
export function splitOutsideBraces(text: string, splits: (char: string) => boolean): string[] {
  const pieces: string[] = [];
  let start = 0;
  for (let at = 0; at < text.length; at++) {
    const char = text[at] as string;
    if (char === "\\") at++;
    else if (char === "{") at = closing(text, at) ?? at;
    else if (splits(char)) {
      pieces.push(text.slice(start, at));
      start = at + 1;
    }
  }
  return [...pieces, text.slice(start)];
}
