/** Transcripts on disk. Apart from the root, which stays small. */
import { ToolglotError } from "./errors.ts";
import { toJsonText } from "./json.ts";
import type { Message, Transcript } from "./message.ts";

export { transcriptSchema } from "./transcript-schema.ts";

/**
 * Returns a transcript as JSON Lines: the head `{"version":1,"meta":{…}}`, then one message a line, each line ended by LF.
 * What JSON can't hold in a tool's input or data is written as {@link toJsonText} writes it.
 */
export function encodeTranscript(transcript: Transcript): string {
  const { messages, ...head } = transcript;
  return [head, ...messages].map((line) => `${toJsonText(line)}\n`).join("");
}

/**
 * Reads what {@link encodeTranscript} wrote. Takes a byte order mark, CRLF and blank lines; keeps fields it does not
 * know. Throws `ToolglotError` `transcript-invalid`, whose `data.line` (from 1) and `data.path` say where.
 */
export function decodeTranscript(text: string): Transcript {
  let head: Record<string, unknown> | undefined;
  const messages: Message[] = [];
  for (const [index, row] of text
    .replace(/^\uFEFF/, "")
    .split(/\r?\n/)
    .entries()) {
    if (row.trim() === "") continue;
    const at = { line: index + 1 };
    let value: unknown;
    try {
      value = JSON.parse(row);
    } catch (cause) {
      throw fault(at.line, "", "JSON", cause);
    }
    if (head) {
      checkMessage(value, at.line);
      messages.push(value as Message);
    } else {
      check(value, { version: [1], meta: "object" }, at.line, "");
      head = value as Record<string, unknown>;
    }
  }
  if (!head) throw fault(1, "", "the head of a transcript");
  return { ...(head as { version: 1; meta: Record<string, unknown> }), messages };
}

/** What a field must be: one of the literals, or of a type; a `?` at the end allows it to be absent. */
type Shape = Record<string, readonly unknown[] | string>;

const partShapes: Record<string, Shape> = {
  text: { text: "string" },
  reasoning: { text: "string", meta: "object?" },
  call: { call: "object" },
  result: { result: "object" },
  file: { mediaType: "string", name: "string?", data: "string?", url: "string?" },
};
const blockShapes: Record<string, Shape> = {
  text: { text: "string" },
  image: { mediaType: "string", data: "string?", url: "string?" },
  audio: { mediaType: "string", data: "string?", url: "string?" },
  resource: { uri: "string", mediaType: "string?", title: "string?", text: "string?", data: "string?" },
};
const statuses = ["ok", "error", "interrupted", "denied", "pending", "in-doubt"];

function checkMessage(value: unknown, line: number): void {
  const roles = ["system", "user", "assistant", "tool"];
  const message = check(value, { role: roles, trust: ["host", "user", "untrusted"], parts: "array" }, line, "");
  for (const [index, item] of (message.parts as unknown[]).entries()) {
    const path = `parts[${index}]`;
    const part = checkVariant(item, partShapes, line, path);
    if (part.type === "call")
      check(part.call, { id: "string", name: "string", protocol: "string" }, line, `${path}.call`);
    if (part.type !== "result") continue;
    const shape: Shape = { callId: "string", status: statuses, content: "array", name: "string?", error: "object?" };
    const result = check(part.result, shape, line, `${path}.result`);
    if (result.error) check(result.error, { type: "string", message: "string" }, line, `${path}.result.error`);
    for (const [at, block] of (result.content as unknown[]).entries()) {
      checkVariant(block, blockShapes, line, `${path}.result.content[${at}]`);
    }
  }
}

function checkVariant(
  value: unknown,
  shapes: Record<string, Shape>,
  line: number,
  path: string,
): Record<string, unknown> {
  const { type } = check(value, { type: Object.keys(shapes) }, line, path);
  return check(value, shapes[type as string] as Shape, line, path);
}

function check(value: unknown, shape: Shape, line: number, path: string): Record<string, unknown> {
  if (kindOf(value) !== "object") throw fault(line, path, "an object");
  const record = value as Record<string, unknown>;
  for (const [key, wanted] of Object.entries(shape)) {
    const at = path ? `${path}.${key}` : key;
    const item = Object.hasOwn(record, key) ? record[key] : undefined;
    if (typeof wanted !== "string") {
      if (!wanted.includes(item)) throw fault(line, at, wanted.map((literal) => JSON.stringify(literal)).join(" or "));
    } else if (!(item === undefined && wanted.endsWith("?")) && kindOf(item) !== wanted.replace("?", "")) {
      throw fault(line, at, `a value of type ${wanted.replace("?", "")}`);
    }
  }
  return record;
}

function kindOf(value: unknown): string {
  return value === null ? "null" : Array.isArray(value) ? "array" : typeof value;
}

function fault(line: number, path: string, expected: string, cause?: unknown): ToolglotError {
  return new ToolglotError(
    "transcript-invalid",
    `Transcript line ${line}${path && `, ${path}`}: expected ${expected}.`,
    {
      cause,
      data: { line, path },
    },
  );
}
