import type { ContentBlock, ToolErrorInfo, ToolStatus } from "@toolglot/core";
import { checkKeys } from "@toolglot/internal";

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
