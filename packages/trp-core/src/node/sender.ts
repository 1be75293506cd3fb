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
