type Matcher = (character: string) => boolean;
type Token = "*" | Matcher;

/**
 * A shell pattern over a whole path, as Python's `fnmatch` reads it: `*` is any text, slashes too, `?` one character,
 * `[a-z]` and `[!a-z]` one of a set. Takes at most pattern × path steps, whatever the pattern.
 */
export function globMatcher(pattern: string): (path: string) => boolean {
  const tokens = tokensOf(Array.from(pattern));
  return (path) => matches(tokens, Array.from(path));
}

function tokensOf(pattern: readonly string[]): Token[] {
  const tokens: Token[] = [];
  for (let at = 0; at < pattern.length; at += 1) {
    const character = pattern[at] as string;
    if (character === "*") {
      if (tokens.at(-1) !== "*") tokens.push("*");
      continue;
    }
    if (character === "?") {
      tokens.push(() => true);
      continue;
    }
    const end = character === "[" ? setEnd(pattern, at) : -1;
    if (end === -1) {
      tokens.push((other) => other === character);
      continue;
    }
    tokens.push(setMatcher(pattern.slice(at + 1, end)));
    at = end;
  }
  return tokens;
}

/** Where a set that begins at `at` ends; a `]` right at its beginning is one of its characters. */
function setEnd(pattern: readonly string[], at: number): number {
  const first = pattern[at + 1] === "!" ? at + 2 : at + 1;
  return pattern.indexOf("]", first + 1);
}

function setMatcher(set: readonly string[]): Matcher {
  const negated = set[0] === "!";
  const members = negated ? set.slice(1) : set;
  const ranges: [string, string][] = [];
  for (let at = 0; at < members.length; at += 1) {
    const from = members[at] as string;
    const to = members[at + 1] === "-" ? members[at + 2] : undefined;
    ranges.push([from, to ?? from]);
    if (to !== undefined) at += 2;
  }
  return (character) => ranges.some(([from, to]) => from <= character && character <= to) !== negated;
}

/** When something doesn't fit, the last `*` takes one character more: no earlier one can do better. */
function matches(tokens: readonly Token[], text: readonly string[]): boolean {
  let at = 0;
  let token = 0;
  let star = -1;
  let starAt = 0;
  while (at < text.length) {
    const current = tokens[token];
    if (current === "*") {
      star = token++;
      starAt = at;
    } else if (current?.(text[at] as string)) {
      token += 1;
      at += 1;
    } else if (star !== -1) {
      token = star + 1;
      at = ++starAt;
    } else {
      return false;
    }
  }
  while (tokens[token] === "*") token += 1;
  return token === tokens.length;
}
