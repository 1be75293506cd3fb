/** A line to find, or several of which one has to be found. */
export type ExpectedLine = string | string[];

/** The expected lines that a text does not hold, in this order, as whole lines. */
export function missingLines(text: string, expected: readonly ExpectedLine[]): ExpectedLine[] {
  const lines = text.split("\n");
  const missing: ExpectedLine[] = [];
  let from = 0;
  for (const wanted of expected) {
    const at = lines.findIndex((line, index) => index >= from && [wanted].flat().includes(line));
    if (at === -1) missing.push(wanted);
    else from = at + 1;
  }
  return missing;
}
