import { checkParseOptions, EventStream, streamEvents } from "@toolglot/core/text";
import { createParser } from "./parse.ts";
import type { ToolsXmlEvent, ToolsXmlParseOptions } from "./types.ts";

/** A `TransformStream` from text chunks to events. Its last events come when its writable side is closed. */
export class ToolsXmlParserStream extends EventStream<ToolsXmlEvent> {
  /** Takes the options of `parse`. */
  constructor(options: ToolsXmlParseOptions = {}) {
    checkParseOptions("ToolsXmlParserStream", options);
    super((onEvent) => createParser({ ...options, onEvent }));
  }
}

/**
 * Events of a text that comes in chunks, from an async iterable or a `ReadableStream`. Leaving the loop early cancels the
 * source. A failure of the source is thrown where it happens.
 */
export function parseStream(
  chunks: AsyncIterable<string> | Iterable<string> | ReadableStream<string>,
  options: ToolsXmlParseOptions = {},
): AsyncGenerator<ToolsXmlEvent, void, undefined> {
  checkParseOptions("parseStream", options);
  return streamEvents(chunks, (onEvent) => createParser({ ...options, onEvent }));
}
