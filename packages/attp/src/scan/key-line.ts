import { matchAt } from "@toolglot/internal";
import type { Entry } from "./entry.ts";
import { fieldOf, keyParts, keyPattern, toolCallName } from "./patterns.ts";

/** Where a line stands in its document. */
export interface Place {
  table: number;
  inCall: boolean;
}

/**
 * Reads `key =` at an index of the window, up to the value; undefined when the line has none. A colon counts only after
 * a key that the protocol knows.
 */
export function readKey(text: string, at: number, base: number, { table, inCall }: Place): Entry | undefined {
  const match = matchAt(keyPattern, text, at);
  if (!match) return undefined;
  const [whole, key = "", delimiter = ""] = match;
  let name: string | undefined = key;
  let dotted = false;
  if (!fieldOf(key)) {
    const parts = keyParts(key);
    dotted = parts.length === 2 && table === 0 && toolCallName(parts[0] ?? "") === "exact";
    name = dotted ? parts[1] : parts.length === 1 ? parts[0] : undefined;
  }
  const field = name !== undefined && (table === 0 || inCall) ? fieldOf(name) : undefined;
  if ((delimiter === ":" || delimiter === "：") && !field) return undefined;
  const lineStart = base + at;
  const keyStart = lineStart + whole.indexOf(key);
  const valueStart = lineStart + whole.length;
  return {
    key,
    field,
    form: "other",
    lineStart,
    keyStart,
    keyEnd: keyStart + key.length,
    valueStart,
    valueEnd: valueStart,
    bodyStart: valueStart,
    bodyEnd: valueStart,
    table,
    inCall: inCall || dotted,
    cut: false,
    mended: false,
    innerQuotes: undefined,
    escapes: false,
    text: "",
  };
}
