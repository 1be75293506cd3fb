import { createHash } from "node:crypto";

const letters = "abcdefghijklmnopqrstuvwxyz234567";
const longest = 64;

/** Returns a name as it stands in a `cap_id`: of `a-z`, `0-9`, `_` and `-`; a changed one with a hash that keeps it apart. */
export function slug(name: string): string {
  const plain = name
    .toLowerCase()
    .replace(/[^a-z0-9_-]+/g, "-")
    .replace(/^[_-]+/, "");
  if (plain === name && name !== "" && name.length <= longest) return name;
  const digest = createHash("sha256").update(name).digest();
  let tail = "";
  for (let bit = 0; bit < 30; bit += 5) tail += letters[((digest.readUInt16BE(bit >> 3) << (bit & 7)) >> 11) & 31];
  return `${plain.slice(0, longest - tail.length - 1) || "x"}-${tail}`;
}
