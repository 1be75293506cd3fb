import { randomBytes } from "node:crypto";
import { linkSync, unlinkSync, writeFileSync } from "node:fs";
import { ToolglotError } from "@toolglot/core";
import { allowing } from "@toolglot/internal";
import { makePrivateFolder, readPrivateFile } from "@toolglot/internal/node";
import type { AskPassphrase } from "@toolglot/secrets";

const wrong = (message: string, path: string): ToolglotError =>
  new ToolglotError("secrets/permissions", message, { data: { path } });

/**
 * Unlocks with a random passphrase in a file (0600) that is made when it is first needed. A gateway that a client program starts has
 * nobody whom it could ask. It keeps logins from who sees the encrypted file alone, as in a backup; not from who reads both.
 */
export function keyFile(path: string): AskPassphrase {
  return async ({ create, attempt }) => {
    const there = await readPrivateFile(path, wrong);
    // It would be the same passphrase again.
    if (there !== undefined) return attempt === 1 ? there.trim() : undefined;
    if (!create) return undefined;
    await makePrivateFolder(path, wrong);
    const written = `${path}.${randomBytes(6).toString("hex")}`;
    writeFileSync(written, `${randomBytes(32).toString("base64url")}\n`, { flag: "wx", mode: 0o600 });
    // Of several processes one is first, and none sees a file that is half written.
    allowing(["EEXIST"], () => linkSync(written, path));
    unlinkSync(written);
    return (await readPrivateFile(path, wrong))?.trim();
  };
}
