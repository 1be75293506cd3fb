const quote = 0x22;
const backslash = 0x5c;

/**
 * Checks whether JSON is nested deeper than a limit, found without parsing it: parsing what is nothing but brackets takes ten
 * times as long as other JSON of its size. False for what is no JSON, as long as it isn't deep.
 */
export function isNestedDeeper(json: Uint8Array, limit: number): boolean {
  let depth = 0;
  let inText = false;
  for (let at = 0; at < json.length; at++) {
    const byte = json[at];
    if (inText) {
      if (byte === backslash) at++;
      else if (byte === quote) inText = false;
    } else if (byte === quote) inText = true;
    else if (byte === 0x5b || byte === 0x7b) {
      if (++depth > limit) return true;
    } else if (byte === 0x5d || byte === 0x7d) depth--;
  }
  return false;
}
