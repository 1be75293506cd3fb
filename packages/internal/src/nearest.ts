/** Longer names are not compared letter by letter. */
const maxComparedLength = 128;

/**
 * Returns the names most like a name, best first: a model's slips are swapped letters, case, and separators. Only names near
 * enough to be meant. Lengths rule out most candidates, so that asking costs little however many there are.
 */
export function nearest(name: string, candidates: readonly string[], count = 3): string[] {
  const wanted = plain(name);
  if (wanted === "" || wanted.length > maxComparedLength) return [];
  // None for one or two letters: any name would be near any other.
  const limit = Math.min(12, Math.floor(wanted.length * 0.4));
  const found: { candidate: string; distance: number }[] = [];
  for (const candidate of candidates) {
    // Separators are left out, so that a name only gets shorter.
    if (candidate.length < Math.min(4, wanted.length - limit)) continue;
    const distance = distanceOf(wanted, plain(candidate), limit);
    if (distance <= limit) found.push({ candidate, distance });
  }
  return found
    .sort((a, b) => a.distance - b.distance)
    .slice(0, count)
    .map(({ candidate }) => candidate);
}

function plain(name: string): string {
  return name
    .slice(0, 4 * maxComparedLength)
    .toLowerCase()
    .replace(/[\s_.:/-]+/g, "");
}

/** Edits between two words, a swap of neighbours counting one; more than `limit` where there are more of them. */
function distanceOf(a: string, b: string, limit: number): number {
  if (a !== b && a.length > 3 && b.length > 3 && (a.includes(b) || b.includes(a))) return 1;
  if (Math.abs(a.length - b.length) > limit) return limit + 1;
  // Row by row: how far each beginning of the one is from each beginning of the other. What is further off than the limit does not count.
  let [before, last, row] = [0, 1, 2].map(() => new Array<number>(b.length + 1).fill(limit + 1)) as [
    number[],
    number[],
    number[],
  ];
  for (let j = 0; j <= b.length; j++) last[j] = j;
  for (let i = 1; i <= a.length; i++) {
    const from = Math.max(1, i - limit);
    const to = Math.min(b.length, i + limit);
    let least = from === 1 ? i : limit + 1;
    row[from - 1] = least;
    for (let j = from; j <= to; j++) {
      const differs = Number(a[i - 1] !== b[j - 1]);
      const above = j === i + limit ? limit + 1 : (last[j] as number);
      let value = Math.min(above + 1, (row[j - 1] as number) + 1, (last[j - 1] as number) + differs);
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
        value = Math.min(value, (before[j - 2] as number) + 1);
      row[j] = value;
      least = Math.min(least, value);
    }
    if (least > limit) return limit + 1;
    [before, last, row] = [last, row, before];
  }
  return last[b.length] as number;
}
