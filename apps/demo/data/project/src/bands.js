/**
 * The band that a value falls into. Bands are in rising order; each begins at its `from` and ends where the next one begins.
 */
export function bandOf(value, bands) {
  let found = bands[0];
  for (const band of bands) {
    if (band.from < value) found = band;
  }
  return found;
}
