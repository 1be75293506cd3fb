import type { Readable, Writable } from "node:stream";
import { type JSONRPCMessage, parseJSONRPCMessage } from "@modelcontextprotocol/server";
import { StdioServerTransport } from "@modelcontextprotocol/server/stdio";
import { isNestedDeeper, isObject } from "@toolglot/internal";

/** What a client may send in one message: bytes, and levels of nesting, of which HTTP takes as many. */
const maxBytes = 10 * 1024 * 1024;
const maxDepth = 64;
const lineFeed = 10;
const invalidRequest = -32600;

/** Internals of the official transport: its buffer, which reads messages. */
interface Inside {
  _readBuffer: Pick<MessageReader, "append" | "readMessage" | "clear">;
}

/**
 * Creates the transport of a client over stdio. The official one drops a request that is not as it should be, so that its client waits for
 * ever; here it is refused.
 */
export function stdioTransport(input: Readable, output: Writable): StdioServerTransport {
  const transport = new StdioServerTransport(input, output);
  const refuse = (id: string | number, message: string): void => {
    transport.send({ jsonrpc: "2.0", id, error: { code: invalidRequest, message } }).catch(() => {});
  };
  (transport as unknown as Inside)._readBuffer = new MessageReader(refuse);
  return transport;
}

/** The lines of a client, as messages. */
class MessageReader {
  readonly #refuse: (id: string | number, message: string) => void;
  #left: Buffer = Buffer.alloc(0);

  constructor(refuse: (id: string | number, message: string) => void) {
    this.#refuse = refuse;
  }

  /** Throws when a message is too long. */
  append(chunk: Buffer): void {
    this.#left = this.#left.length === 0 ? chunk : Buffer.concat([this.#left, chunk]);
    if (this.#left.length <= maxBytes) return;
    this.clear();
    throw new Error(`A message has more than ${maxBytes} bytes`);
  }

  /** What is no message is passed over. */
  readMessage(): JSONRPCMessage | null {
    for (;;) {
      const end = this.#left.indexOf(lineFeed);
      if (end < 0) return null;
      const line = this.#left.subarray(0, end);
      this.#left = this.#left.subarray(end + 1);
      const message = this.#read(line);
      if (message !== undefined) return message;
    }
  }

  clear(): void {
    this.#left = Buffer.alloc(0);
  }

  #read(line: Buffer): JSONRPCMessage | undefined {
    let given: unknown;
    try {
      given = JSON.parse(line.toString("utf8"));
    } catch {
      return undefined;
    }
    if (!isObject(given)) return undefined;
    const { id } = given;
    const why = isNestedDeeper(line, maxDepth) ? `It is nested deeper than ${maxDepth} levels.` : undefined;
    const message = why === undefined ? messageIn(given) : undefined;
    // Whoever gave it an id waits for an answer.
    if (message === undefined && isId(id) && "method" in given) {
      this.#refuse(id, `Invalid request. ${why ?? "It is no message as MCP has them."}`);
    }
    return message;
  }
}

function messageIn(given: Record<string, unknown>): JSONRPCMessage | undefined {
  try {
    return isCall(given) ? given : parseJSONRPCMessage(given);
  } catch {
    return undefined;
  }
}

/** Whether it is a call of a tool as it should be, for which the official schema, which takes its time, has nothing to find. */
function isCall(given: Record<string, unknown>): given is JSONRPCMessage & Record<string, unknown> {
  const { jsonrpc, id, method, params } = given;
  if (method !== "tools/call" || jsonrpc !== "2.0" || !isId(id) || !isObject(params)) return false;
  if (Object.keys(given).length !== 4 || (params._meta !== undefined && !isObject(params._meta))) return false;
  const { progressToken } = params._meta ?? {};
  return progressToken === undefined || isId(progressToken);
}

function isId(value: unknown): value is string | number {
  return typeof value === "string" || Number.isSafeInteger(value);
}
