import type { Readable } from "node:stream";
import { askHidden } from "../cli/hidden-input.ts";
import { UsageError } from "../cli/usage-error.ts";
import type { Words } from "../words/index.ts";

/** A value may have no more bytes. */
const maxBytes = 64 * 1024;

/** Reads the value: typed at a hidden prompt, or all of standard input less one final line end. Its errors say nothing of the value. */
export async function readValue(
  name: string,
  stdin: Readable & { isTTY?: boolean },
  words: Words["values"],
): Promise<string> {
  const value = stdin.isTTY === true ? await askHidden(words.askValue(name)) : await readAll(stdin, words);
  if (value === undefined) throw new UsageError(words.noTerminal);
  if (value === "") throw new UsageError(words.empty);
  if (value.includes("\0")) throw new UsageError(words.nul);
  if (Buffer.byteLength(value) > maxBytes) throw new UsageError(words.tooLong);
  return value;
}

async function readAll(stdin: Readable, words: Words["values"]): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of stdin) {
    chunks.push(Buffer.from(chunk as Uint8Array));
    bytes += chunks.at(-1)?.length ?? 0;
    // Room for the line end that is taken off.
    if (bytes > maxBytes + 2) break;
  }
  try {
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(Buffer.concat(chunks));
    return text.replace(/\r?\n$/, "");
  } catch {
    if (bytes > maxBytes) throw new UsageError(words.tooLong);
    throw new UsageError(words.notText);
  }
}
