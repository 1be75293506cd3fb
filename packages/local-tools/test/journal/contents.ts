import { join } from "node:path";
import type { FileChange } from "../../src/journal/types.ts";

export const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

/** A change of one file; `null`: there is none. */
export function change(root: string, path: string, before: string | null, after: string | null): FileChange {
  const content = (text: string | null): Uint8Array | null => (text === null ? null : bytes(text));
  return { path: join(root, path), before: content(before), after: content(after) };
}
