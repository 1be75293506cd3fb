const signatures: readonly (readonly [string, readonly number[]])[] = [
  ["image/png", [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a]],
  ["image/jpeg", [0xff, 0xd8, 0xff]],
  ["image/gif", [0x47, 0x49, 0x46, 0x38]],
  ["application/pdf", [0x25, 0x50, 0x44, 0x46, 0x2d]],
  ["application/zip", [0x50, 0x4b, 0x03, 0x04]],
  ["application/gzip", [0x1f, 0x8b]],
];

/** Returns what bytes are by their beginning; `application/octet-stream` when that is unknown. */
export function mediaTypeOf(bytes: Uint8Array): string {
  const found = signatures.find(([, start]) => start.every((byte, index) => bytes[index] === byte));
  return found?.[0] ?? "application/octet-stream";
}
