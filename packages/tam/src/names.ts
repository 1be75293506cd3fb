/**
 * Returns a key as the specification compares keys: trimmed, camelCase humps apart, in lower case, every run of characters that
 * are neither letters nor digits as `_`, none of them at the ends. A run of capitals is one hump: `filePath_1` becomes
 * `file_path_1`, `CONTENT1` `content1`, `URLPath` `urlpath`. Empty when there is no letter and no digit.
 */
export function normalizeKey(key: string): string {
  if (/^[a-z\d]+(?:_[a-z\d]+)*$/.test(key)) return key;
  return key
    .normalize("NFC")
    .replace(/\p{Ll}\p{N}*(?=\p{Lu})/gu, "$&_")
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\p{M}]+|[\ufe00-\ufe0f]+/gu, "_")
    .replace(/_+/g, "_")
    .replace(/^_|_$/g, "");
}

/** Keys that mean something else in a block than a parameter of a step; `common_` brings a parameter of that name to the only step. */
export const reservedKey: RegExp =
  /^(?:(?:command|on_error|retry)(?:_?\d+)?|comment|request_id|(?:common|uri|type_hint)_.+)$/;

/** What a name is among declared ones: one of them, one of several and it is not known which, or none. */
export type NameMatch = { match: string } | { candidates: string[] } | undefined;

interface DeclaredNames {
  exact: Set<string>;
  normalized: Map<string, string[]>;
  squashed: Map<string, string[]>;
}

const known = new WeakMap<readonly string[], DeclaredNames>();

/**
 * Finds a name among declared ones: as it is written, else normalised, else without underscores. Work on the declared
 * names is kept for as long as the same array is passed.
 */
export function matchName(name: string, declared: readonly string[]): NameMatch {
  const names = known.get(declared) ?? index(declared);
  if (names.exact.has(name)) return { match: name };
  const key = normalizeKey(name);
  if (key === "") return undefined;
  const found = names.normalized.get(key) ?? names.squashed.get(squash(key));
  if (!found) return undefined;
  return found.length === 1 ? { match: found[0] as string } : { candidates: [...found] };
}

function index(declared: readonly string[]): DeclaredNames {
  const names: DeclaredNames = { exact: new Set(declared), normalized: new Map(), squashed: new Map() };
  for (const name of names.exact) {
    const key = normalizeKey(name);
    for (const [map, form] of [
      [names.normalized, key],
      [names.squashed, squash(key)],
    ] as const)
      map.set(form, [...(map.get(form) ?? []), name]);
  }
  known.set(declared, names);
  return names;
}

const squash = (key: string): string => key.replaceAll("_", "");
