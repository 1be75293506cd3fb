/** Escapes that mean something, or are allowed, in a regular expression's unicode mode. */
const meaningful = /^[dDwWsSbBnrtvfcxupPk0-9^$\\.*+?()[\]{}|/]/;

/**
 * Returns the pattern as JSON Schema engines compile it: in unicode mode, which forbids what is common in the wild, as in
 * `[\w-.]` or `\_`. Those are rewritten without a change of meaning. Undefined for what is no regular expression.
 */
export function unicodePattern(pattern: string): string | undefined {
  if (compiles(pattern, "u")) return pattern;
  if (!compiles(pattern, "")) return undefined;
  const rewritten = rewrite(pattern);
  return compiles(rewritten, "u") ? rewritten : undefined;
}

function compiles(pattern: string, flags: string): boolean {
  try {
    new RegExp(pattern, flags);
    return true;
  } catch {
    return false;
  }
}

/** One token at a time, left to right: an escape, a class with its content, a counted repetition, or a character. */
function rewrite(pattern: string): string {
  let result = "";
  let inClass = false;
  for (const [token] of pattern.matchAll(/\\[\s\S]|\{\d+(?:,\d*)?\}|[\s\S]/g)) {
    if (token.length > 1 && token[0] === "\\") {
      const kept = meaningful.test(token[1] as string) || (inClass && token === "\\-");
      result += kept ? token : token.slice(1);
    } else if (inClass) {
      inClass = token !== "]";
      result += token === "[" ? "\\[" : token;
    } else {
      inClass = token === "[";
      result += token === "]" || token === "{" || token === "}" ? `\\${token}` : token;
    }
  }
  return withLiteralDashes(result);
}

/** In a class, the dash beside `\w` and the like is itself: no range begins or ends with a set. */
function withLiteralDashes(pattern: string): string {
  let inClass = false;
  let before = "";
  let result = "";
  const tokens = [...pattern.matchAll(/\\[\s\S]|[\s\S]/g)].map(([token]) => token);
  for (const [index, token] of tokens.entries()) {
    const isSet = (other: string | undefined): boolean => /^\\[dDwWsS]$/.test(other ?? "");
    const literal = inClass && token === "-" && (isSet(before) || isSet(tokens[index + 1]));
    result += literal ? "\\-" : token;
    if (token === "[") inClass = true;
    else if (token === "]") inClass = false;
    before = literal ? "\\-" : token;
  }
  return result;
}
