import type { Live } from "./live.ts";
import type { Logins } from "./logins.ts";
import type { Visit } from "./visit.ts";

/** A stream of marks, until the login ends or the reader is gone. */
export function eventStream(live: Live, logins: Logins, visit: Visit): Response {
  const encoder = new TextEncoder();
  let leave = (): void => {};
  const stream = new ReadableStream<Uint8Array>({
    start(controller) {
      const write = (text: string): void => {
        // Whoever reads too slowly misses marks; the next one says the same.
        if ((controller.desiredSize ?? 0) > -16) controller.enqueue(encoder.encode(text));
      };
      const stopLive = live.join(visit.identity, (mark) => write(`event: state\ndata: ${mark}\n\n`));
      const beat = setInterval(() => write(": \n\n"), 15_000).unref();
      const stopLogin = logins.stream(visit, () => {
        write("event: end\ndata: \n\n");
        leave();
        controller.close();
      });
      leave = () => {
        stopLive();
        stopLogin();
        clearInterval(beat);
      };
      write("retry: 3000\n\n");
    },
    cancel: () => leave(),
  });
  return new Response(stream, {
    headers: {
      "content-type": "text/event-stream; charset=utf-8",
      "cache-control": "no-store",
      "x-accel-buffering": "no",
    },
  });
}
