/**
 * Returns what makes a path more than a place below a root: `..`, an absolute path, a drive, a home, a URL's escapes of those.
 * Undefined for a relative path that stays below.
 */
export function pathProblem(text: string): string | undefined {
  if (/%(?:2e|2f|5c|00|25)/i.test(text)) return "has an escaped character of paths: write the path as it is";
  const parts = text.split(/[\\/]/);
  if (parts.some((part) => /^\.\.[. ]*$/.test(part.trim()))) return "leads out of its directory with ..";
  if (/^\s*(?:[\\/]|[A-Za-z]:)/.test(text)) return "is an absolute path: give one relative to the root";
  if (/^\s*~/.test(text)) return "begins with ~: give a path relative to the root";
  return undefined;
}
