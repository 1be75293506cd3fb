import { EventStream, streamEvents } from "@toolglot/core/text";
import { checkKeys } from "@toolglot/internal";
import { createParser, parseKeys } from "./parse.ts";
import type { ToolsXmlEvent, ToolsXmlParseOptions } from "./types.ts";

/** A `TransformStream` from text chunks to events. Its last events come when its writable side is closed. */
export class ToolsXmlParserStream extends EventStream<ToolsXmlEvent> {
  /** Takes the options of `parse`. */
  constructor(options: ToolsXmlParseOptions = {}) {
    checkKeys<ToolsXmlParseOptions>("ToolsXmlParserStream", options, parseKeys);
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
  checkKeys<ToolsXmlParseOptions>("parseStream", options, parseKeys);
  return streamEvents(chunks, (onEvent) => createParser({ ...options, onEvent }));
}
