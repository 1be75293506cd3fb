/**
 * A key as the specification compares keys: trimmed, camelCase humps apart, in lower case, every run of characters that
 * are neither letters nor digits as `_`, none of them at the ends. A run of capitals is one hump: `filePath_1` becomes
 * `file_path_1`, `CONTENT1` `content1`, `URLPath` `urlpath`. Empty when there is no letter and no digit.
 */
export function normalizeKey(key: string): string {
  return key
    .normalize("NFC")
    .replace(/\p{Ll}\p{N}*(?=\p{Lu})/gu, "$&_")
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\p{M}]+|[\ufe00-\ufe0f]+/gu, "_")
    .replace(/_+/g, "_")
    .replace(/^_|_$/g, "");
}

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

/** Longer names are not compared letter by letter. */
const longestCompared = 64;

/** The names most like one, nearest first, `max` at most (default 3); none when nothing is like it. */
export function nearest(name: string, names: readonly string[], max = 3): string[] {
  const wanted = squash(normalizeKey(name.slice(0, 4 * longestCompared)));
  if (wanted === "" || wanted.length > longestCompared) return [];
  return [...new Set(names)]
    .map((candidate) => ({ candidate, distance: distanceOf(wanted, squash(normalizeKey(candidate))) }))
    .filter(({ distance }) => distance <= 1)
    .sort((a, b) => a.distance - b.distance)
    .slice(0, max)
    .map(({ candidate }) => candidate);
}

/** How far apart: up to 1 is near. One that holds the other is, and so is one wrong letter in three. */
function distanceOf(a: string, b: string): number {
  if (b === "" || b.length > longestCompared) return 2;
  const edits = editDistance(a, b);
  const letters = edits && edits / Math.floor(Math.max(a.length, b.length) / 3);
  const [short, long] = a.length < b.length ? [a, b] : [b, a];
  return short.length > 2 && long.includes(short) ? Math.min(letters, 1) : letters;
}

/** Letters to add, drop, change or swap with their neighbour. */
function editDistance(a: string, b: string): number {
  let before: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, at) => at);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1] ? 0 : 1;
      let cost = Math.min((last[j] as number) + 1, (row[j - 1] as number) + 1, (last[j - 1] as number) + same);
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
        cost = Math.min(cost, (before[j - 2] as number) + 1);
      row.push(cost);
    }
    before = last;
    last = row;
  }
  return last[b.length] as number;
}
