/** Names that a misspelt one may stand for: the same but for case and separators, or a slip or two away. */
export function nearNames(name: string, known: readonly string[]): string[] {
  const plain = (text: string): string => text.toLowerCase().replace(/[^\p{L}\p{N}]/gu, "");
  const wanted = plain(name.slice(0, 80));
  return known
    .map((candidate) => ({ candidate, far: distance(wanted, plain(candidate)) }))
    .filter(({ far }) => far <= Math.min(3, wanted.length / 3))
    .sort((a, b) => a.far - b.far)
    .slice(0, 3)
    .map(({ candidate }) => candidate);
}

/** Letters to put in, take out or change. */
function distance(a: string, b: string): number {
  if (Math.abs(a.length - b.length) > 3) return 9;
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= b.length; j += 1)
      next[j] = Math.min(
        (row[j] as number) + 1,
        (next[j - 1] as number) + 1,
        (row[j - 1] as number) + (a[i - 1] === b[j - 1] ? 0 : 1),
      );
    row = next;
  }
  return row[b.length] as number;
}
