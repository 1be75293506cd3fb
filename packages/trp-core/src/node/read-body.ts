import type { IncomingMessage } from "node:http";

/**
 * Reads a body of at most `maxBytes`, counted as it comes, and gives it to `done`; undefined when there is more, and then
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
