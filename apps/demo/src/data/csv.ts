/** The records of a CSV text with a header line. Quotes as in RFC 4180; an empty field is an empty string. */
export function parseCsv(text: string): Record<string, string>[] {
  const [header, ...rows] = readRows(text);
  if (!header) return [];
  return rows.map((row) => Object.fromEntries(header.map((name, index) => [name, row[index] ?? ""])));
}

/** Returns a line of CSV. */
export function csvLine(values: readonly unknown[]): string {
  const cells = values.map((value) => String(value ?? ""));
  return cells.map((text) => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text)).join(",");
}

function readRows(text: string): string[][] {
  const rows: string[][] = [];
  let row: string[] = [];
  // A field, quoted or bare, and what ends it.
  const field = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r?\n|$)/gy;
  while (field.lastIndex < text.length) {
    const match = field.exec(text);
    if (!match) throw new Error(`Unreadable CSV in line ${rows.length + 1}.`);
    row.push(match[1]?.replaceAll('""', '"') ?? match[2] ?? "");
    if (match[3] === ",") continue;
    rows.push(row);
    row = [];
  }
  return rows;
}
