import type { Transport } from "@modelcontextprotocol/client";
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

/** A transport that starts the server when it is connected, and whose `close` resolves when the server has ended. */
export async function createStdioTransport(
  options: McpStdioTransport,
  maxBufferSize: number,
  onTooLarge: () => void,
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
