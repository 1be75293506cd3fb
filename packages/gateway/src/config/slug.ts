import { createHash } from "node:crypto";

const letters = "abcdefghijklmnopqrstuvwxyz234567";

/** Returns a name as it stands in a `cap_id`: of `a-z`, `0-9`, `_` and `-`, a changed one with a hash that keeps it apart. */
export function slug(name: string): string {
  const plain = name.toLowerCase().replace(/[^a-z0-9_-]+/g, "-");
  if (plain === name) return name;
  const digest = createHash("sha256").update(name).digest();
  let tail = "";
  for (let bit = 0; bit < 30; bit += 5) tail += letters[((digest.readUInt16BE(bit >> 3) << (bit & 7)) >> 11) & 31];
  return `${plain}-${tail}`;
}
