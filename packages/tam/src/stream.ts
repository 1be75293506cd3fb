import { checkParseOptions, EventStream, streamEvents } from "@toolglot/core/text";
import { createParser } from "./parse.ts";
import type { TamEvent, TamParseOptions } from "./types.ts";

/** A `TransformStream` from text chunks to events. Its last events come when its writable side is closed. */
export class TamParserStream extends EventStream<TamEvent> {
  /** Takes the options of `parse`. */
  constructor(options: TamParseOptions = {}) {
    checkParseOptions("TamParserStream", options);
    super((onEvent) => createParser({ ...options, onEvent }));
  }
}

/**
 * Events of a text that comes in chunks, from an iterable or a `ReadableStream`. Leaving the loop early cancels the source.
 * A failure of the source is thrown where it happens.
 */
export function parseStream(
  chunks: AsyncIterable<string> | Iterable<string> | ReadableStream<string>,
  options: TamParseOptions = {},
): AsyncGenerator<TamEvent> {
  checkParseOptions("parseStream", options);
  return streamEvents(chunks, (onEvent) => createParser({ ...options, onEvent }));
}
