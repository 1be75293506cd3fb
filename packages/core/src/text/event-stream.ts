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
  const events: Event[] = [];
  const parser = makeParser((event) => events.push(event));
  for await (const chunk of chunksOf(chunks)) {
    parser.feed(chunk);
    for (const event of events.splice(0)) yield event;
  }
  parser.end();
  yield* events;
}

/** Yields the chunks of an iterable or a stream: streams are not async iterable everywhere yet. Leaving the loop early cancels them. */
export async function* chunksOf(
  chunks: AsyncIterable<string> | Iterable<string> | ReadableStream<string>,
): AsyncGenerator<string, void, undefined> {
  if (!("getReader" in chunks)) {
    yield* chunks;
    return;
  }
  const reader = chunks.getReader();
  try {
    for (let next = await reader.read(); !next.done; next = await reader.read()) yield next.value;
  } finally {
    reader.releaseLock();
    // Of no effect at its end; behind a failure, it fails with the same one.
    await chunks.cancel();
  }
}
