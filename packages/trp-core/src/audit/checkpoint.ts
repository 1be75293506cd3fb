import { canonicalJson } from "@toolglot/internal";
import { base64url, base64urlBytes } from "../digest/base64url.ts";
import type { AuditCheckpoint, CheckpointSigner, CheckpointVerifier } from "./types.ts";

/** Returns the bytes that a signature covers. */
function checkpointBytes({ at, from, hash, index }: AuditCheckpoint): Uint8Array {
  return new TextEncoder().encode(canonicalJson({ at, from, hash, index, type: "audit-checkpoint.v1" }));
}

/** The checkpoint with a signature; without a signer the same checkpoint, unsigned. */
export async function signCheckpoint(
  checkpoint: AuditCheckpoint,
  signer: CheckpointSigner | undefined,
): Promise<AuditCheckpoint> {
  if (signer === undefined) return checkpoint;
  const signature = base64url(await signer.sign(checkpointBytes(checkpoint)));
  return { ...checkpoint, key: signer.key, signature };
}

/** Checks whether the signature is valid. Undefined when `keys` has no verifier for the checkpoint's key. */
export async function checkSignature(
  checkpoint: AuditCheckpoint,
  keys: readonly CheckpointVerifier[],
): Promise<boolean | undefined> {
  const { key, signature } = checkpoint;
  const verifier = key === undefined ? undefined : keys.find((known) => known.key === key);
  if (verifier === undefined) return undefined;
  const bytes = typeof signature === "string" ? base64urlBytes(signature) : undefined;
  return bytes !== undefined && (await verifier.verify(checkpointBytes(checkpoint), bytes));
}

/** A copy of a checkpoint for a store to keep. `TypeError` for a malformed one. */
export function checkCheckpoint(given: AuditCheckpoint): AuditCheckpoint {
  const { index, hash, at, from, key, signature } = given;
  const isRow = (value: unknown): boolean => Number.isSafeInteger(value) && (value as number) > 0;
  const isHash = typeof hash === "string" && /^[0-9a-f]{64}$/.test(hash);
  const isText = (value: unknown): boolean => typeof value === "string" && value !== "";
  const isSigned = key === undefined ? signature === undefined : isText(key) && isText(signature);
  if (!isRow(index) || !isHash || !Number.isFinite(at) || !isRow(from) || !isSigned) {
    throw new TypeError("audit.addCheckpoint needs { index, hash, at, from }, and key and signature or none of them");
  }
  return { index, hash, at, from, ...(key !== undefined && { key, signature: signature as string }) };
}

/** Checks whether `from` of a checkpoint is valid: not after the checkpoint's own row, and not before the newest `from`. */
export function follows({ index, from }: AuditCheckpoint, newest: AuditCheckpoint | undefined): boolean {
  return from <= index && from >= (newest?.from ?? 1);
}
