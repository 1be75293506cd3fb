import { canonicalJson, textDigest } from "@toolglot/internal";

/** Longer texts are known by their SHA-256. */
const maxPlainLength = 256;

/** Resolves with what distinguishes one call from another: the tool's name and its arguments, in whatever order they stand. */
export function callFingerprint(name: string, args: Record<string, unknown>): Promise<string> {
  return fingerprint(canonicalJson([name, args]));
}

/** Resolves with short texts as they are, long ones by their digest. */
export async function fingerprint(text: string): Promise<string> {
  return text.length <= maxPlainLength ? text : `sha256:${await textDigest(text)}`;
}
