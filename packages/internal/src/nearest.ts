/** Longer names are not compared letter by letter. */
const longestCompared = 128;

/**
 * The names most like a name, best first: a model's slips are swapped letters, case, and separators. Only names near
 * enough to be meant.
 */
export function nearest(name: string, candidates: readonly string[], count = 3): string[] {
  const wanted = plain(name);
  if (wanted === "" || wanted.length > longestCompared) return [];
  // None for one or two letters: any name would be near any other.
  const limit = Math.floor(wanted.length * 0.4);
  return candidates
    .map((candidate) => [candidate, distanceOf(wanted, plain(candidate), limit)] as const)
    .filter(([, distance]) => distance <= limit)
    .sort(([, a], [, b]) => a - b)
    .slice(0, count)
    .map(([candidate]) => candidate);
}

function plain(name: string): string {
  return name
    .slice(0, 4 * longestCompared)
    .toLowerCase()
    .replace(/[\s_.:/-]+/g, "");
}

/** Edits between two words, a swap of neighbours counting one; `limit + 1` when one word holds too many more letters. */
function distanceOf(a: string, b: string, limit: number): number {
  if (a !== b && a.length > 3 && b.length > 3 && (a.includes(b) || b.includes(a))) return 1;
  if (Math.abs(a.length - b.length) > limit) return limit + 1;
  // Row by row: how far each beginning of the one is from each beginning of the other.
  const width = b.length + 1;
  const table: number[] = [];
  const at = (i: number, j: number): number => table[i * width + j] ?? 0;
  for (let i = 0; i <= a.length; i++) {
    for (let j = 0; j < width; j++) {
      const differs = Number(a[i - 1] !== b[j - 1]);
      const swapped = a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1] ? at(i - 2, j - 2) + 1 : i + j;
      table.push(i && j ? Math.min(at(i - 1, j) + 1, at(i, j - 1) + 1, at(i - 1, j - 1) + differs, swapped) : i + j);
    }
  }
  return at(a.length, b.length);
}
