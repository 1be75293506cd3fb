import { readFileSync } from "node:fs";

/** How many transactions are in a file's write-ahead log (https://www.sqlite.org/fileformat2.html#walformat). */
export function commitsOf(file: string): number {
  const log = readFileSync(`${file}-wal`);
  const frame = 24 + log.readUInt32BE(8);
  let commits = 0;
  for (let at = 32; at + frame <= log.length; at += frame) {
    // Those of an earlier round of the log have other salts.
    if (!log.subarray(at + 8, at + 16).equals(log.subarray(16, 24))) break;
    if (log.readUInt32BE(at + 4) > 0) commits += 1;
  }
  return commits;
}
