/**
 * The candidate that was probably meant, or undefined. Runs inside the engine too: its text is taken, so it must not
 * speak of anything outside itself.
 * @param {string} name
 * @param {readonly string[]} candidates
 * @returns {string | undefined}
 */
export function nearest(name, candidates) {
  const maxLength = 60;
  const plain = (/** @type {string} */ text) => text.toLowerCase().replace(/[_$]/g, "");
  /** Edits between two short texts, a swap of neighbours counting as one. */
  const distance = (/** @type {string} */ a, /** @type {string} */ b) => {
    /** @type {number[][]} */
    const rows = [Array.from({ length: b.length + 1 }, (_, index) => index)];
    for (let i = 1; i <= a.length; i++) {
      const above = /** @type {number[]} */ (rows[i - 1]);
      const row = [i];
      for (let j = 1; j <= b.length; j++) {
        const change = a[i - 1] === b[j - 1] ? 0 : 1;
        let best = Math.min(row[j - 1] + 1, above[j] + 1, above[j - 1] + change);
        if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
          best = Math.min(best, rows[i - 2][j - 2] + 1);
        row.push(best);
      }
      rows.push(row);
    }
    return /** @type {number} */ (rows[a.length][b.length]);
  };
  if (name.length > maxLength) return undefined;
  const wanted = plain(name);
  /** @type {string | undefined} */
  let found;
  let least = Math.floor(name.length * 0.34) + 1;
  for (const candidate of candidates) {
    if (candidate === name || candidate.length > maxLength || Math.abs(candidate.length - name.length) >= least + 2)
      continue;
    const edits = distance(wanted, plain(candidate));
    if (edits < least) {
      least = edits;
      found = candidate;
    }
  }
  return found;
}
