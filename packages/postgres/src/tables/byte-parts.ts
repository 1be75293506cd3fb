/** Bytes of a row of artifacts and blobs at most. */
export const partSize: number = 256 * 1024;

/** Cuts bytes into parts; none when there are none. */
export function partsOf(bytes: Uint8Array): Uint8Array[] {
  const parts: Uint8Array[] = [];
  for (let at = 0; at < bytes.length; at += partSize) parts.push(bytes.subarray(at, at + partSize));
  return parts;
}
