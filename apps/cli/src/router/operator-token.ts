import { randomBytes, timingSafeEqual } from "node:crypto";
import { chmodSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { makeFolder } from "@toolglot/internal/node";

/** The file with the operator's token: only a user who can read the files of the data folder's owner can decide about requests. */
export function operatorTokenPath(folder: string): string {
  return join(folder, "operator-token");
}

/** The operator's token of a data folder; made at random when there is none. Its file is readable for its owner only. */
export function ensureOperatorToken(folder: string): string {
  const path = operatorTokenPath(folder);
  makeFolder(folder);
  const made = `op_${randomBytes(24).toString("base64url")}`;
  try {
    // `wx`: of two routers that start together, one makes it and the other reads it.
    writeFileSync(path, `${made}\n`, { mode: 0o600, flag: "wx" });
    return made;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  }
  chmodSync(path, 0o600);
  const found = readOperatorToken(folder);
  if (found === undefined) throw new Error(`${path} is empty: remove it, and a new token is made.`);
  return found;
}

/** The token, if a router made one. */
export function readOperatorToken(folder: string): string | undefined {
  try {
    return readFileSync(operatorTokenPath(folder), "utf8").trim() || undefined;
  } catch {
    return undefined;
  }
}

/** Whether two tokens are the same; the time it takes does not reveal where they differ. */
export function sameToken(one: string, other: string): boolean {
  const [a, b] = [Buffer.from(one), Buffer.from(other)];
  return a.length === b.length && timingSafeEqual(a, b);
}
