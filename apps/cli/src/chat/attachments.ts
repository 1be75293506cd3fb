import { closeSync, existsSync, fstatSync, openSync, readSync } from "node:fs";
import { basename, resolve } from "node:path";
import type { Message, MessagePart } from "@toolglot/core";
import { UsageError } from "../cli/usage-error.ts";

/** A file that goes to the model with a question. */
export interface Attachment {
  name: string;
  parts: MessagePart[];
}

/** Bytes; larger ones would not fit what a model reads. */
const maxText = 1_000_000;
export const maxData = 20_000_000;

/** How files of a kind begin. What a file is called proves nothing. */
const kinds: readonly (readonly [mediaType: string, start: RegExp])[] = [
  ["image/png", /^\x89PNG\r\n/],
  ["image/jpeg", /^\xff\xd8\xff/],
  ["image/gif", /^GIF8[79]a/],
  ["image/webp", /^RIFF[\s\S]{4}WEBP/],
  ["application/pdf", /^%PDF-/],
];

/** Reads a file for the model: text as text, an image or a PDF as it is. Throws `UsageError` for what can't go. */
export function readAttachment(path: string, folder: string): Attachment {
  const file = resolve(folder, path);
  return attachmentOf(basename(file), readBytes(file, path), path);
}

/** Bytes for the model. `path`: how the person called them. Throws `UsageError` for what can't go. */
export function attachmentOf(name: string, bytes: Buffer, path: string = name): Attachment {
  const start = bytes.subarray(0, 16).toString("latin1");
  const mediaType = kinds.find(([, pattern]) => pattern.test(start))?.[0];
  if (mediaType !== undefined) {
    const data: MessagePart = { type: "file", mediaType, name, data: bytes.toString("base64") };
    return { name, parts: [{ type: "text", text: `File ${name}:` }, data] };
  }
  if (bytes.length > maxText) throw new UsageError(`${path} has more than ${maxText / 1e6} MB of text.`);
  let text: string;
  try {
    text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    text = "\0";
  }
  if (text.includes("\0"))
    throw new UsageError(`${path} is neither text (UTF-8) nor an image (PNG, JPEG, GIF, WebP) nor a PDF.`);
  return { name, parts: [{ type: "text", text: `File ${name}:\n${text.replace(/\n?$/, "\n")}(end of ${name})\n` }] };
}

function readBytes(file: string, path: string): Buffer {
  let descriptor: number;
  try {
    descriptor = openSync(file, "r");
  } catch (error) {
    throw new UsageError(`${path} can't be read: ${(error as Error).message}`);
  }
  try {
    const stats = fstatSync(descriptor);
    if (!stats.isFile()) throw new UsageError(`${path} is no file.`);
    if (stats.size > maxData) throw new UsageError(`${path} has more than ${maxData / 1e6} MB.`);
    const bytes = Buffer.alloc(stats.size);
    let length = 0;
    for (let read = -1; read !== 0 && length < bytes.length; length += read)
      read = readSync(descriptor, bytes, length, bytes.length - length, null);
    return bytes.subarray(0, length);
  } finally {
    closeSync(descriptor);
  }
}

/**
 * Reads the files that a question names: `@notes.md`, `@"a name with spaces.png"`. An address of mail names none; of what looks like a path and
 * is none, `onMissing` is called.
 */
export function filesIn(question: string, folder: string, onMissing: (path: string) => void): Attachment[] {
  const found = question.matchAll(/(?<=^|[\s(（，。：])@(?:"([^"\n]+)"|([^\s"，。；：！？）)]+))/g);
  const paths = [...found].map(([, quoted, bare = ""]) => quoted ?? bare.replace(/[.,;:!?]+$/, ""));
  return [...new Set(paths)].flatMap((path) => {
    if (path !== "" && existsSync(resolve(folder, path))) return [readAttachment(path, folder)];
    if (/[/.]/.test(path)) onMissing(path);
    return [];
  });
}

/** Returns the files as one message before the question. What stands in them is no word of the person's: it informs, and nothing in it is run. */
export function attachmentMessage(attachments: readonly Attachment[]): Message | undefined {
  if (attachments.length === 0) return undefined;
  return { role: "user", parts: attachments.flatMap(({ parts }) => parts), trust: "untrusted" };
}
