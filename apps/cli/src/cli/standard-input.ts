import { type Attachment, attachmentOf, maxData } from "../chat/attachments.ts";
import type { Host } from "../host.ts";
import type { Words } from "../words/index.ts";
import { UsageError } from "./usage-error.ts";

/** How long a question waits for the first byte of a pipe that stays open. A supervisor may leave one open for ever. Milliseconds. */
const patienceMs = 5_000;
/** A module's own model can't use what comes with a question: it is only looked whether there is something to refuse. Milliseconds. */
const glanceMs = 50;

/** What was piped in, and what it is: the question itself, or what goes with the question. */
export type Piped = { question: string } | { attachment: Attachment } | undefined;

interface Asked {
  question: string | undefined;
  /** What the model is called that reads no files; undefined for one that reads what people write. */
  ownModel: string | undefined;
  words: Words;
  note(text: string): void;
}

/**
 * What is piped in is the question, goes with the question, or is refused; it is never dropped. Without anything, a real model has
 * nothing to answer. Throws `UsageError`.
 */
export async function pipedIn(
  stdin: Host["stdin"],
  { question, ownModel, words: { piped: words }, note }: Asked,
): Promise<Piped> {
  const isReal = ownModel === undefined;
  if (stdin.isTTY === true) return undefined;
  const waitMs = question !== undefined && !isReal ? glanceMs : patienceMs;
  const { bytes, isOver } = await readAll(stdin, waitMs);
  if (question === undefined) {
    if (bytes.length === 0 && isReal) throw new UsageError(words.none);
    const text = textOf(bytes, words.noText).trim();
    return text === "" ? undefined : { question: text };
  }
  if (bytes.length === 0) {
    if (!isOver && isReal) note(`${words.open(patienceMs / 1_000)}\n`);
    return undefined;
  }
  if (!isReal) throw new UsageError(words.ownModel(ownModel));
  return { attachment: attachmentOf("standard input", bytes) };
}

/** Reads everything up to the end. Stops when nothing at all has come after `waitMs`. */
async function readAll(stdin: Host["stdin"], waitMs: number): Promise<{ bytes: Buffer; isOver: boolean }> {
  const chunks: Buffer[] = [];
  let length = 0;
  return await new Promise((resolve, reject) => {
    const end = (isOver: boolean): void => {
      clearTimeout(timer);
      stdin.off("data", take).pause();
      resolve({ bytes: Buffer.concat(chunks), isOver });
    };
    const take = (chunk: Buffer | string): void => {
      clearTimeout(timer);
      chunks.push(Buffer.from(chunk));
      length += chunk.length;
      if (length > maxData) reject(new UsageError(`Standard input has more than ${maxData / 1e6} MB.`));
    };
    const timer = setTimeout(() => end(false), waitMs);
    stdin
      .once("end", () => end(true))
      .once("error", () => end(true))
      .on("data", take);
  });
}

function textOf(bytes: Buffer, otherwise: string): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw new UsageError(otherwise);
  }
}
