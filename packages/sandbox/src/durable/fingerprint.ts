import { createRecord } from "@toolglot/core";

/** Longer texts are known by their SHA-256. */
const MAX_PLAIN = 256;

/** What tells one call from another: the tool's name and its arguments, in whatever order they stand. */
export async function callFingerprint(name: string, args: Record<string, unknown>): Promise<string> {
  return await fingerprint(JSON.stringify([name, sorted(args)]));
}

/** Short texts as they are, long ones by their digest. */
export async function fingerprint(text: string): Promise<string> {
  // Pages without https have no digests: then the text is its own fingerprint.
  if (text.length <= MAX_PLAIN || !globalThis.crypto?.subtle) return text;
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
  const hex = Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, "0")).join("");
  return `sha256:${hex}`;
}

/** Keys in order, at every depth. */
function sorted(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(sorted);
  const out = createRecord<unknown>();
  for (const key of Object.keys(value).sort()) out[key] = sorted((value as Record<string, unknown>)[key]);
  return out;
}
