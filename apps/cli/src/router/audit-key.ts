import { createPublicKey } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import {
  type CheckpointSigner,
  type CheckpointVerifier,
  checkpointSigner,
  checkpointVerifier,
  createCheckpointKeys,
} from "@toolglot/trp-core";
import { UsageError } from "../cli/usage-error.ts";

/** Makes a key for checkpoints of the audit log: the file, readable for its owner only, and the public half beside it. */
export async function makeAuditKey(file: string): Promise<{ publicFile: string }> {
  const { privateKey, publicKey } = await createCheckpointKeys();
  const publicFile = `${file}.pub`;
  for (const [path, text, mode] of [
    [file, privateKey, 0o600],
    [publicFile, publicKey, 0o644],
  ] as const) {
    try {
      // `wx`: what was signed with a key can't be checked without it, so none is written over.
      writeFileSync(path, text, { mode, flag: "wx" });
    } catch (error) {
      throw new UsageError(`The key can't be written: ${(error as Error).message}`);
    }
  }
  return { publicFile };
}

/** The signer of a private key's file. Throws `UsageError` for what is none. */
export function readSigner(file: string): Promise<CheckpointSigner> {
  return fromFile(file, checkpointSigner);
}

/** The verifier of a public or private key's file. Throws `UsageError` for what is none. */
export function readVerifier(file: string): Promise<CheckpointVerifier> {
  return fromFile(file, (text) =>
    checkpointVerifier(createPublicKey(text).export({ type: "spki", format: "pem" }) as string),
  );
}

async function fromFile<Key>(file: string, read: (text: string) => Promise<Key>): Promise<Key> {
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (error) {
    throw new UsageError(`The key can't be read: ${(error as Error).message}`);
  }
  try {
    return await read(text);
  } catch {
    throw new UsageError(`${file} is no such key: audit key FILE makes one, or openssl genpkey -algorithm ed25519.`);
  }
}
