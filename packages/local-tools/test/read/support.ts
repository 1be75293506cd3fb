import { onTestFinished } from "vitest";
import { localErrorType } from "../../src/errors.ts";
import { Roots } from "../../src/files/roots.ts";
import { Reader, type ReaderOptions } from "../../src/read/reader.ts";
import { type Scratch, scratchFolder } from "../support/scratch.ts";

/** Lets everything be read. */
export const open = { decide: (): Promise<void> => Promise.resolve() };

/** For searches that are not about time: a busy machine takes ten times as long. */
export const patience = { timeoutMs: 120_000, fileTimeoutMs: 60_000 };

/** A scratch folder that is the only root, and a reader for it. */
export async function readerOf(
  files: Readonly<Record<string, string | Uint8Array>> = {},
  options: Omit<ReaderOptions, "roots"> = {},
): Promise<{ scratch: Scratch; roots: Roots; reader: Reader }> {
  const scratch = await scratchFolder(files);
  const roots = await Roots.open([scratch.path]);
  const reader = new Reader({ roots, ...options });
  onTestFinished(() => reader.close());
  return { scratch, roots, reader };
}

/** How a call was refused. */
export async function refusal(promise: Promise<unknown>): Promise<Record<string, unknown>> {
  const error = await promise.then(
    (given) => new Error(`was not refused: ${JSON.stringify(given)}`),
    (thrown: unknown) => thrown as Error & { data?: Record<string, unknown> },
  );
  return { message: error.message, ...("data" in error ? error.data : {}), type: localErrorType(error) };
}
