/** A count as people write it: `5,310`. */
export function counted(count: number): string {
  return count.toLocaleString("en-US");
}

/** A count with its noun: `1 line`, `5,310 lines`. */
export function several(count: number, one: string, many = `${one}s`): string {
  return `${counted(count)} ${count === 1 ? one : many}`;
}

/** A size: exact up to 10,000 bytes, then in kB, MB or GB of a thousand. */
export function sized(bytes: number): string {
  if (bytes < 10_000) return several(bytes, "byte");
  const units = ["kB", "MB", "GB", "TB"];
  let size = bytes / 1000;
  let unit = 0;
  while (size >= 1000 && unit < units.length - 1) {
    size /= 1000;
    unit++;
  }
  return `${size.toFixed(size < 100 ? 1 : 0)} ${units[unit]}`;
}

/** The first `length` UTF-16 units, one fewer where that would split a pair. */
export function head(text: string, length: number): string {
  const cut = text.slice(0, length);
  return cut.length < text.length && /[\ud800-\udbff]$/.test(cut) ? cut.slice(0, -1) : cut;
}
