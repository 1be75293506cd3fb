import { EventStream, streamEvents } from "@toolglot/core/text";
import { checkOptions, createParser } from "./parse.ts";
import type { AttpEvent, AttpParseOptions } from "./types.ts";

/** A `TransformStream` from text chunks to events. Its last events come when its writable side is closed. */
export class AttpParserStream extends EventStream<AttpEvent> {
  /** Takes the options of `parse`. */
  constructor(options: AttpParseOptions = {}) {
    super((onEvent) => createParser({ ...options, onEvent }));
  }
}

/**
 * Events of a text that comes in chunks, from an async iterable or a `ReadableStream`. Leaving the loop early cancels the
 * source. A failure of the source is thrown where it happens.
 */
export function parseStream(
  chunks: AsyncIterable<string> | Iterable<string> | ReadableStream<string>,
  options: AttpParseOptions = {},
): AsyncGenerator<AttpEvent, void, undefined> {
  checkOptions("parseStream", options);
  return streamEvents(chunks, (onEvent) => createParser({ ...options, onEvent }));
}
