import { EventStream } from "@toolglot/core/text";
import { allDialects } from "./book.ts";
import { checkDialectOptions, parserOf, streamOf } from "./readers.ts";
import type { DialectEvent, DialectParseOptions } from "./types.ts";

/** A `TransformStream` from text chunks to events. Its last events come when its writable side is closed. */
export class DialectParserStream extends EventStream<DialectEvent> {
  /** Takes the options of `parse`. Throws `TypeError` for those that can't be meant. */
  constructor(options: DialectParseOptions = {}) {
    checkDialectOptions(allDialects, "DialectParserStream", options);
    super((onEvent) => parserOf(allDialects, { ...options, onEvent }));
  }
}

/**
 * Events of a text that comes in chunks, from an iterable or a `ReadableStream`. Leaving the loop early cancels the source. A failure of
 * the source is thrown where it happens. Throws `TypeError` for options that can't be meant.
 */
export function parseStream(
  chunks: AsyncIterable<string> | Iterable<string> | ReadableStream<string>,
  options: DialectParseOptions = {},
): AsyncGenerator<DialectEvent> {
  checkDialectOptions(allDialects, "parseStream", options);
  return streamOf(allDialects, chunks, options);
}
