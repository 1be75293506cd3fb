import { textHash } from "@toolglot/core/text";

/** What all protocols and providers take as the name of a tool: 64 characters of `A-Z`, `a-z`, `0-9`, `_` and `-`. */
const maxLength = 64;
const hashLength = 6;

/** Returns a server's name for a tool, or one that is safe: other characters are `_`, and a hash keeps it apart from others. */
export function safeName(name: string): string {
  if (/^[\w-]{1,64}$/.test(name)) return name;
  const hash = textHash(name).slice(-hashLength).padStart(hashLength, "0");
  return `${name.replace(/[^\w-]/gu, "_").slice(0, maxLength - hashLength - 1)}_${hash}`;
}
