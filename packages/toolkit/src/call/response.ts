import { type ContentBlock, ToolError, type ToolErrorInfo, type ToolStatus, toJsonText } from "@toolglot/core";
import { checkKeys } from "@toolglot/internal";
import { errorTypes } from "../errors.ts";

const brand = Symbol.for("toolglot.tool-response");

/** Status of a call, one to one with the statuses of core's `ToolResult` that a toolkit can give. */
export type ResponseStatus = Exclude<ToolStatus, "in-doubt">;

/** The fields of a {@link ToolResponse}; all but `content` have defaults. */
export interface ToolResponseFields {
  /** Blocks; a string is one text block. */
  content: ContentBlock[] | string;
  /** Default `error` when there is an error, `interrupted` when `isInterrupted`, else `ok`. */
  status?: ResponseStatus;
  error?: ToolErrorInfo | undefined;
  /** The value as data, for programs. */
  data?: unknown;
  /** Facts for the host; `warnings: string[]` holds what was reported. Not shown to the model. */
  metadata?: Record<string, unknown> | undefined;
  /** Whether this is a piece of a stream. Default false. */
  stream?: boolean;
  /** Whether this is the final response of its call. Set by the runtime. Default true. */
  isLast?: boolean;
  /** Default false. */
  isInterrupted?: boolean;
  /** Default: time-stamped and unique in this process. */
  id?: string;
}

/** A whole answer of a tool, or a chunk of one. The runtime copies it before it sets anything. */
export class ToolResponse {
  readonly content: ContentBlock[];
  readonly status: ResponseStatus;
  readonly error: ToolErrorInfo | undefined;
  readonly data: unknown;
  readonly metadata: Record<string, unknown> | undefined;
  readonly stream: boolean;
  readonly isLast: boolean;
  readonly isInterrupted: boolean;
  readonly id: string;

  /** Throws `TypeError` when `content` is neither a string nor an array. */
  constructor(fields: ToolResponseFields) {
    checkKeys(
      "ToolResponse",
      fields,
      'content:string|object[] status:"error"|"ok"|"interrupted"|"denied"|"pending" error:object data:any metadata:object stream:boolean isLast:boolean isInterrupted:boolean id:text',
    );
    const { content } = fields;
    if (typeof content !== "string" && !Array.isArray(content)) {
      throw new TypeError("ToolResponse needs content: a string, or an array of content blocks");
    }
    this.content = typeof content === "string" ? [{ type: "text", text: content }] : content;
    this.isInterrupted = fields.isInterrupted ?? fields.status === "interrupted";
    this.status = fields.status ?? (fields.error ? "error" : this.isInterrupted ? "interrupted" : "ok");
    this.error = fields.error;
    this.data = fields.data;
    this.metadata = fields.metadata;
    this.stream = fields.stream ?? false;
    this.isLast = fields.isLast ?? true;
    this.id = fields.id ?? nextId();
  }

  /** Checks whether a value is a response, whichever copy of this package made it. */
  static isInstance(value: unknown): value is ToolResponse {
    return typeof value === "object" && value !== null && (value as Record<symbol, unknown>)[brand] === true;
  }

  /** Returns a copy with other fields; the id stays. */
  with(fields: Partial<ToolResponseFields>): ToolResponse {
    return new ToolResponse({ ...(this as ToolResponseFields), ...fields });
  }
}
Object.defineProperty(ToolResponse.prototype, brand, { value: true });

let stampedAt = 0;
let stamp = "";
let serial = 0;

/** Returns a new id, as `2026-11-21T11:51:19.123Z-1`: the time, and a number that distinguishes what was made in one millisecond. */
function nextId(): string {
  const now = Date.now();
  if (now !== stampedAt) {
    stampedAt = now;
    stamp = new Date(now).toISOString();
    serial = 0;
  }
  serial += 1;
  return `${stamp}-${serial}`;
}

/** What the model reads of a tool that gave nothing. Providers refuse empty text, and models call again. */
const noOutput = "(no output)";

/** Checks whether this is the content of a tool that gave nothing. Such a response has no data; the same text given has. */
export function isNoOutput(content: readonly ContentBlock[]): boolean {
  const [block] = content;
  return content.length === 1 && block?.type === "text" && block.text === noOutput;
}

/**
 * Returns what a tool gave, as a response. A string is text; content blocks stay as they are; `undefined` is the text
 * "(no output)"; any other value is data, with its JSON as text. `ToolError` for what has no JSON at all.
 */
export function toResponse(value: unknown, stream: boolean, isLast: boolean): ToolResponse {
  if (ToolResponse.isInstance(value)) return value.isLast === isLast ? value : value.with({ isLast });
  const fields: ToolResponseFields = { content: [], stream, isLast };
  if (value === undefined) fields.content = noOutput;
  else if (isBlocks(value)) fields.content = value;
  else if (isBlock(value)) fields.content = [value];
  else {
    fields.content = typeof value === "string" ? value : jsonText(value);
    fields.data = value;
  }
  return new ToolResponse(fields);
}

function jsonText(value: unknown): string {
  if (typeof value === "function" || typeof value === "symbol") {
    throw new ToolError(`the tool gave a ${typeof value}, which has no form in JSON`, {
      data: { type: errorTypes.invalidOutput },
    });
  }
  try {
    const text: string | undefined = JSON.stringify(value);
    if (text !== undefined) return text;
  } catch {
    // Circles, big integers, getters that throw: toJsonText has a word for each.
  }
  return toJsonText(value);
}

/** Checks whether a value is a non-empty array of nothing but content blocks. */
function isBlocks(value: unknown): value is ContentBlock[] {
  return Array.isArray(value) && value.length > 0 && value.every(isBlock);
}

function isBlock(value: unknown): value is ContentBlock {
  if (typeof value !== "object" || value === null) return false;
  const { type, text, mediaType, uri, data, url } = value as Record<string, unknown>;
  switch (type) {
    case "text":
      return typeof text === "string" && Object.keys(value).length === 2;
    case "image":
    case "audio":
      return typeof mediaType === "string" && (typeof data === "string" || typeof url === "string");
    case "resource":
      return typeof uri === "string";
    default:
      return false;
  }
}
