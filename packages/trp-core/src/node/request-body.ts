import { isUtf8 } from "node:buffer";
import type { IncomingMessage, ServerResponse } from "node:http";

/** The client that waits for an answer. The signal is made when it is asked for: most calls are over before that. */
export class Sender {
  readonly #response: ServerResponse;
  #controller: AbortController | undefined;

  constructor(response: ServerResponse) {
    this.#response = response;
  }

  /** Aborted when the connection closes before the answer was written. */
  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      const controller = new AbortController();
      this.#controller = controller;
      const response = this.#response;
      if (response.destroyed) controller.abort();
      else {
        response.once("close", () => {
          if (!response.writableFinished) controller.abort();
        });
      }
    }
    return this.#controller.signal;
  }
}

/** What a refused client may still send before the connection is cut. */
const lingerBytes = 16 * 1024 * 1024;
const lingerMs = 1500;

/**
 * Answers a request whose body was not read to its end. Closing at once would reset the connection, and the client might
 * lose the answer while it still writes: so the answer goes out in full, and what still comes is thrown away, for a while.
 */
export function linger(request: IncomingMessage, response: ServerResponse, body: string): void {
  let left = lingerBytes;
  const end = (): void => {
    clearTimeout(timer);
    response.end();
  };
  const cut = (): void => {
    clearTimeout(timer);
    request.socket.destroy();
  };
  const timer = setTimeout(cut, lingerMs);
  response.write(body);
  request.on("error", () => undefined);
  request.on("data", (chunk: Buffer) => {
    left -= chunk.length;
    if (left < 0) cut();
  });
  request.once("end", end);
  request.once("close", () => clearTimeout(timer));
  request.resume();
}

/**
 * Reads a body of at most `maxBytes`, counted as it comes, and passes it to `done`; undefined when there is more, and then
 * the rest is left unread. `done` is not called when the client goes away before the end.
 */
export function readBody(
  request: IncomingMessage,
  maxBytes: number,
  done: (body: Uint8Array | undefined) => void,
): void {
  const chunks: Buffer[] = [];
  let size = 0;
  const onData = (chunk: Buffer): void => {
    size += chunk.length;
    if (size <= maxBytes) {
      chunks.push(chunk);
      return;
    }
    stop();
    request.pause();
    done(undefined);
  };
  const onEnd = (): void => {
    stop();
    const [first] = chunks;
    done(chunks.length === 1 && first !== undefined ? first : Buffer.concat(chunks, size));
  };
  const stop = (): void => {
    request.off("data", onData);
    request.off("end", onEnd);
  };
  request.on("data", onData);
  request.on("end", onEnd);
  // Without a listener an aborted request would be an uncaught error.
  request.on("error", ignore);
}

function ignore(): void {}

/** Reads bytes as UTF-8, several times faster than what every runtime has; undefined when they aren't. */
export function decode(bytes: Uint8Array): string | undefined {
  if (!isUtf8(bytes)) return undefined;
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("utf8");
}
