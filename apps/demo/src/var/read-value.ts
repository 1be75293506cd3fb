import type { Readable } from "node:stream";
import { askHidden } from "../cli/hidden-input.ts";
import { UsageError } from "../cli/usage-error.ts";

/** A value may have no more bytes. */
const mostBytes = 64 * 1024;

/** The value: typed at a hidden prompt, or all of standard input less one final line end. Its errors say nothing of the value. */
export async function readValue(name: string, stdin: Readable & { isTTY?: boolean }): Promise<string> {
  const value = stdin.isTTY === true ? await askHidden(`Value of ${name} (not shown)`) : await readAll(stdin);
  if (value === undefined) throw new UsageError("There is no terminal to ask at: pass the value on standard input.");
  if (value === "") throw new UsageError("The value is empty.");
  if (value.includes("\0")) throw new UsageError("The value holds a NUL character, which a shell can't hold.");
  if (Buffer.byteLength(value) > mostBytes) throw new UsageError("The value is longer than 64 KiB.");
  return value;
}

async function readAll(stdin: Readable): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of stdin) {
    chunks.push(Buffer.from(chunk as Uint8Array));
    bytes += chunks.at(-1)?.length ?? 0;
    // Room for the line end that is taken off.
    if (bytes > mostBytes + 2) break;
  }
  try {
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(Buffer.concat(chunks));
    return text.replace(/\r?\n$/, "");
  } catch {
    if (bytes > mostBytes) throw new UsageError("The value is longer than 64 KiB.");
    throw new UsageError("The value is no UTF-8 text.");
  }
}
