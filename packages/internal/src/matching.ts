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
