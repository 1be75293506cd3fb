/** 64 hexadecimal digits that nobody can guess. Works on pages without https, too. */
export function randomText(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(32)), (byte) => byte.toString(16).padStart(2, "0")).join("");
}
