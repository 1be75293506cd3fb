/** Longer names are not compared letter by letter. */
const longestCompared = 128;

/**
 * The names most like a name, best first: a model's slips are swapped letters, case, and separators. Only names near
 * enough to be meant.
 */
export function nearest(name: string, candidates: readonly string[], count = 3): string[] {
  const wanted = plain(name);
  if (wanted === "" || wanted.length > longestCompared) return [];
  // Of one or two letters, any name would be near any other.
  const limit = wanted.length < 3 ? 0 : Math.max(1, Math.floor(wanted.length * 0.4));
  return candidates
    .map((candidate) => ({ candidate, distance: distanceOf(wanted, plain(candidate), limit) }))
    .filter(({ distance }) => distance <= limit)
    .sort((a, b) => a.distance - b.distance)
    .slice(0, count)
    .map(({ candidate }) => candidate);
}

function plain(name: string): string {
  return name
    .slice(0, 4 * longestCompared)
    .toLowerCase()
    .replace(/[\s_.:/-]+/g, "");
}

/** Edits between two words, a swap of neighbours counting one; `limit + 1` when one word holds too many more letters. */
function distanceOf(a: string, b: string, limit: number): number {
  if (a === b) return 0;
  if (a.length > 3 && b.length > 3 && (a.includes(b) || b.includes(a))) return 1;
  if (b === "" || Math.abs(a.length - b.length) > limit) return limit + 1;
  let before: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const cost = a[i - 1] === b[j - 1] ? 0 : 1;
      let best = Math.min((last[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1, (last[j - 1] ?? 0) + cost);
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) {
        best = Math.min(best, (before[j - 2] ?? 0) + 1);
      }
      row.push(best);
    }
    before = last;
    last = row;
  }
  return last[b.length] ?? 0;
}
