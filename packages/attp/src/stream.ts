import { createParser } from "./parse.ts";
import type { AttpEvent, AttpParseOptions } from "./types.ts";

/** A `TransformStream` from text chunks to events. Its last events come when its writable side is closed. */
export class AttpParserStream extends TransformStream<string, AttpEvent> {
  /** Takes the options of `parse`. */
  constructor(options: AttpParseOptions = {}) {
    let parser: ReturnType<typeof createParser>;
    super({
      start(controller): void {
        parser = createParser({ ...options, onEvent: (event) => controller.enqueue(event) });
      },
      transform(chunk): void {
        parser.feed(chunk);
      },
      flush(): void {
        parser.end();
      },
    });
  }
}

/**
 * Events of a text that comes in chunks, from an async iterable or a `ReadableStream`. Leaving the loop early cancels the
 * source. A failure of the source is thrown where it happens.
 */
export async function* parseStream(
  chunks: AsyncIterable<string> | Iterable<string> | ReadableStream<string>,
  options: AttpParseOptions = {},
): AsyncGenerator<AttpEvent, void, undefined> {
  let events: AttpEvent[] = [];
  const parser = createParser({ ...options, onEvent: (event) => events.push(event) });
  const take = (): AttpEvent[] => {
    const taken = events;
    events = [];
    return taken;
  };
  for await (const chunk of iterate(chunks)) {
    parser.feed(chunk);
    if (events.length > 0) yield* take();
  }
  parser.end();
  yield* take();
}

/** Streams are not async iterable everywhere yet. */
async function* iterate(
  chunks: AsyncIterable<string> | Iterable<string> | ReadableStream<string>,
): AsyncGenerator<string, void, undefined> {
  if (!("getReader" in chunks)) {
    yield* chunks;
    return;
  }
  const reader = chunks.getReader();
  let done = false;
  try {
    for (;;) {
      const next = await reader.read();
      done = next.done;
      if (next.done) return;
      yield next.value;
    }
  } catch (error) {
    done = true;
    throw error;
  } finally {
    if (!done) await reader.cancel();
    reader.releaseLock();
  }
}
