import type { Locale } from "@toolglot/core";
import { type Attachment, attachmentOf, mostData } from "../chat/attachments.ts";
import { UsageError } from "./usage-error.ts";

/** How long a question waits for the first byte of a pipe that stays open. A supervisor may leave one open for ever. Milliseconds. */
const patienceMs = 5_000;
/** The planner can't use what comes with a question: it is only looked whether there is something to refuse. Milliseconds. */
const glanceMs = 50;

/** What was piped in, and what it is: the question itself, or what goes with the question. */
export type Piped = { question: string } | { attachment: Attachment } | undefined;

/** Says to somebody who asked a real model nothing what to do. */
export const noQuestion = (lang: Locale | undefined): string => wording[lang ?? "en"].none;

interface Asked {
  question: string | undefined;
  /** A model that reads what people write; without it the planner, which knows whole requests. */
  isReal: boolean;
  lang: Locale | undefined;
  note(text: string): void;
}

/**
 * What is piped in is the question, goes with the question, or is refused; it is never dropped. Without anything, a real model has
 * nothing to answer. Throws `UsageError`.
 */
export async function pipedIn({ question, isReal, lang, note }: Asked): Promise<Piped> {
  const { stdin } = process;
  const words = wording[lang ?? "en"];
  if (stdin.isTTY === true) return undefined;
  const waitMs = question !== undefined && !isReal ? glanceMs : patienceMs;
  const { bytes, isOver } = await readAll(stdin, waitMs);
  if (question === undefined) {
    if (bytes.length === 0 && isReal) throw new UsageError(noQuestion(lang));
    const text = textOf(bytes, words.noText).trim();
    return text === "" ? undefined : { question: text };
  }
  if (bytes.length === 0) {
    if (!isOver && isReal) note(`${words.open(patienceMs / 1_000)}\n`);
    return undefined;
  }
  if (!isReal) throw new UsageError(words.planner);
  return { attachment: attachmentOf("standard input", bytes) };
}

/** Everything up to the end. Gives up when nothing at all has come after `waitMs`. */
async function readAll(stdin: NodeJS.ReadStream, waitMs: number): Promise<{ bytes: Buffer; isOver: boolean }> {
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
      if (length > mostData) reject(new UsageError(`Standard input has more than ${mostData / 1e6} MB.`));
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

const wording = {
  en: {
    none: "There is no question: write one behind the options, or on standard input. `tour` shows the demo without a model.",
    noText: "The question on standard input is no text (UTF-8).",
    planner: "The planner reads no files and no standard input: leave it out, or ask a real model with --model NAME.",
    open: (seconds: number) =>
      `Standard input is open, and nothing came in ${seconds} s: the question goes without it.`,
  },
  zh: {
    none: "没有问题：请写在选项之后，或从标准输入传入。`tour` 可在不用模型的情况下演示。",
    noText: "标准输入里的问题不是文本（UTF-8）。",
    planner: "规划器不读取文件和标准输入：请去掉它，或用 --model 名称 询问真实模型。",
    open: (seconds: number) => `标准输入一直打开，${seconds} 秒内没有内容：问题不带它发出。`,
  },
} as const;
