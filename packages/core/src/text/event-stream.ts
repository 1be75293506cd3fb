import type { Parser } from "../protocol.ts";

/** Makes a parser with a listener for its events. */
export type ParserMaker<Event> = (onEvent: (event: Event) => void) => Pick<Parser<unknown>, "feed" | "end">;

/** A `TransformStream` from text chunks to a parser's events. The last ones come when its writable side is closed. */
export class EventStream<Event> extends TransformStream<string, Event> {
  constructor(makeParser: ParserMaker<Event>) {
    let parser: ReturnType<ParserMaker<Event>>;
    super({
      start(controller): void {
        parser = makeParser((event) => controller.enqueue(event));
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
 * Events of a text that comes in chunks, from an iterable or a `ReadableStream`. Leaving the loop early cancels the source.
 * A failure of the source is thrown where it happens.
 */
export async function* streamEvents<Event>(
  chunks: AsyncIterable<string> | Iterable<string> | ReadableStream<string>,
  makeParser: ParserMaker<Event>,
): AsyncGenerator<Event, void, undefined> {
  let events: Event[] = [];
  const parser = makeParser((event) => events.push(event));
  const take = (): Event[] => {
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
