import type { FetchLike } from "@modelcontextprotocol/client";
import { withBody } from "./incoming.ts";

/** A message of a server that was longer than the client takes. */
export class MessageTooLarge extends Error {
  constructor(maxBytes: number) {
    super(`it sent a message of more than ${maxBytes} bytes, which is what the option maxBufferSize takes`);
  }
}

const lineFeed = 10;
const carriageReturn = 13;

/**
 * Returns a `fetch` whose answers break off when they are too long: a whole body, or in a stream of events what comes without an empty
 * line. `onTooLarge` is called with the error that the reader gets.
 */
export function limitBytes(fetch: FetchLike, maxBytes: number, onTooLarge: (error: Error) => void): FetchLike {
  return async (url, init) => {
    const response = await fetch(url, init);
    // A body that there is has one of these statuses; others can't be given to a new response.
    if (response.body === null || response.status < 200 || response.status > 599) return response;
    // A `fetch` of Node's own streams: its answers can't be followed.
    if (typeof response.body.pipeThrough !== "function") return response;
    const isStream = /^text\/event-stream\b/i.test(response.headers.get("content-type") ?? "");
    let size = 0;
    let before = 0;
    let isLineEmpty = true;
    /** Bytes since the last empty line, at most: those of the unfinished event. */
    const count = (chunk: Uint8Array): void => {
      for (const byte of chunk) {
        size += 1;
        const isEnd = byte === carriageReturn || (byte === lineFeed && before !== carriageReturn);
        if (isEnd && isLineEmpty) size = 0;
        if (byte !== lineFeed || isEnd) isLineEmpty = isEnd;
        before = byte;
        if (size > maxBytes) return;
      }
    };
    const limited = response.body.pipeThrough(
      new TransformStream<Uint8Array, Uint8Array>({
        transform(chunk, controller) {
          if (isStream) count(chunk);
          else size += chunk.byteLength;
          if (size <= maxBytes) return controller.enqueue(chunk);
          const error = new MessageTooLarge(maxBytes);
          onTooLarge(error);
          controller.error(error);
        },
      }),
    );
    return withBody(response, limited);
  };
}
