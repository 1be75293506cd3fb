import type { JSONRPCMessage, Transport } from "@modelcontextprotocol/client";
import type { McpStdioTransport } from "./options.ts";

// Of Node only, and loaded only when it is asked for, after the official client; browser bundles leave it out (`browser` in
// package.json). It imports nothing that the rest of the package holds: bundlers would wrap that for both.

/** A transport, and what its server wrote to standard error last. */
export interface StdioConnection {
  transport: Transport;
  stderrTail(): string;
}

const tailLength = 2000;

/** Servers that run; they don't outlive this process. */
const running = new Set<number>();

function endAll(): void {
  for (const pid of running) {
    try {
      process.kill(pid, "SIGKILL");
    } catch {
      // It has ended by itself.
    }
  }
}

/** Events of a transport besides messages, and the reader that makes messages of lines. */
export interface StdioEvents {
  onTooLarge(): void;
  /** Undefined for a line that is no message. */
  read(line: string): JSONRPCMessage | undefined;
}

/** Internals of the official transport: its buffer, which reads lines, and the process. */
interface Inside {
  _readBuffer: Pick<LineReader, "append" | "readMessage" | "clear">;
  _process?: { stdout?: NodeJS.ReadableStream | null };
}

/** Resolves with a transport that starts the server when it is connected, and whose `close` resolves when the server has ended. */
export async function createStdioTransport(
  options: McpStdioTransport,
  maxBufferSize: number,
  { onTooLarge, read }: StdioEvents,
): Promise<StdioConnection> {
  const { StdioClientTransport } = await import("@modelcontextprotocol/client/stdio");
  const { command, args = [], env, cwd, onStderr } = options;
  // A class of our own, so that the official client asks for the newest revision on this process. For its own class it starts
  // a second one each time, only to ask.
  const transport = new (class extends StdioClientTransport {})({
    command,
    args: [...args],
    stderr: "pipe",
    maxBufferSize,
    ...(env !== undefined && { env: { ...env } }),
    ...(cwd !== undefined && { cwd }),
  });
  const inside = transport as unknown as Inside;
  inside._readBuffer = new LineReader(maxBufferSize, read);
  transport.onerror = (error) => {
    if (/exceeded maximum size/.test(error.message)) onTooLarge();
  };
  let tail = "";
  const decoder = new TextDecoder();
  transport.stderr?.on("data", (chunk: Uint8Array) => {
    const text = decoder.decode(chunk, { stream: true });
    tail = (tail + text).slice(-tailLength);
    onStderr?.(text);
  });
  let pid: number | null = null;
  // Whoever listens later calls these first.
  transport.onclose = () => {
    if (pid === null || !running.delete(pid)) return;
    if (running.size === 0) process.off("exit", endAll);
  };
  const start = transport.start.bind(transport);
  transport.start = async () => {
    await start();
    pid = transport.pid;
    if (pid === null) return;
    // A server that has closed its output answers nothing any more, however long it lives.
    inside._process?.stdout?.once("end", () => void transport.close());
    if (running.size === 0) process.on("exit", endAll);
    running.add(pid);
  };
  const close = transport.close.bind(transport);
  let closing: Promise<void> | undefined;
  transport.close = () => {
    closing ??= close();
    return closing;
  };
  return { transport, stderrTail: () => tail.trim() };
}

const lineFeed = 10;

/** The lines of a server, as messages. A long one is put together once, however many pieces it comes in. */
class LineReader {
  readonly #maxBytes: number;
  readonly #read: (line: string) => JSONRPCMessage | undefined;
  #pieces: Buffer[] = [];
  #size = 0;
  #messages: JSONRPCMessage[] = [];

  constructor(maxBytes: number, read: (line: string) => JSONRPCMessage | undefined) {
    this.#maxBytes = maxBytes;
    this.#read = read;
  }

  /** Throws for a line that is too long. */
  append(chunk: Buffer): void {
    for (let from = 0; from < chunk.length; ) {
      const end = chunk.indexOf(lineFeed, from);
      const piece = chunk.subarray(from, end < 0 ? chunk.length : end);
      this.#pieces.push(piece);
      this.#size += piece.length;
      if (this.#size > this.#maxBytes) {
        this.clear();
        throw new Error(`a line exceeded maximum size of ${this.#maxBytes} bytes`);
      }
      if (end < 0) return;
      from = end + 1;
      const message = this.#read(Buffer.concat(this.#pieces).toString("utf8"));
      if (message !== undefined) this.#messages.push(message);
      this.#pieces = [];
      this.#size = 0;
    }
  }

  readMessage(): JSONRPCMessage | null {
    return this.#messages.shift() ?? null;
  }

  clear(): void {
    this.#pieces = [];
    this.#size = 0;
  }
}
