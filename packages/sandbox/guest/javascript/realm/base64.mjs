/**
 * Bytes as base64 text. Runs inside the engine: its text is taken, so it must not speak of anything outside itself.
 * @param {Uint8Array} bytes
 */
export function base64(bytes) {
  const digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  const parts = [];
  for (let index = 0; index < bytes.length; index += 3) {
    const bits = ((bytes[index] ?? 0) << 16) | ((bytes[index + 1] ?? 0) << 8) | (bytes[index + 2] ?? 0);
    const left = bytes.length - index;
    const last = (left > 1 ? digits[(bits >> 6) & 63] : "=") + (left > 2 ? digits[bits & 63] : "=");
    parts.push(`${digits[bits >> 18]}${digits[(bits >> 12) & 63]}${last}`);
  }
  return parts.join("");
}
