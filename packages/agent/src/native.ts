import type { BlockBase, EndOptions, ParseResult, Parser, ProtocolEvent, ToolProtocol } from "@toolglot/core";
import { contentText, toJsonText } from "@toolglot/core";

/**
 * The provider's own function calls, as a protocol: tools are declared in the request, calls come back as call parts, all
 * text is the answer. The baseline that text protocols are measured against. Results go back as `result` parts of a
 * `tool` message, for the model's adapter to hand over in the provider's form.
 */
export function nativeProtocol(): ToolProtocol {
  return {
    id: "native",
    version: "native/1",
    stop: [],
    declaresTools: true,
    renderTools: () => "",
    instructions: () => "",
    createParser: ({ onEvent }) => new TextParser(onEvent),
    actions: () => [],
    formatResults: (results) =>
      results
        .map(({ content, data, error }) => {
          if (content.length > 0) return contentText(content);
          return error ? `${error.type}: ${error.message}` : toJsonText(data ?? null);
        })
        .join("\n\n"),
    explain: () => undefined,
    encodeMessages: (messages) => [...messages],
  };
}

/** Everything is text. */
class TextParser implements Parser<BlockBase> {
  readonly #onEvent: ((event: ProtocolEvent) => void) | undefined;
  #text = "";
  #ended = false;

  constructor(onEvent: ((event: ProtocolEvent) => void) | undefined) {
    this.#onEvent = onEvent;
  }

  feed(chunk: string): void {
    if (typeof chunk !== "string") throw new TypeError("feed() takes a string.");
    if (this.#ended) throw new TypeError("The parser has ended; call reset() to use it again.");
    if (chunk === "") return;
    this.#text += chunk;
    this.#onEvent?.({ phase: "text", type: "text-delta", text: chunk });
  }

  end(_options?: EndOptions): ParseResult<BlockBase> {
    this.#ended = true;
    const text = this.#text;
    if (text === "") return { segments: [], blocks: [], diagnostics: [] };
    return { segments: [{ type: "text", text, span: { start: 0, end: text.length } }], blocks: [], diagnostics: [] };
  }

  reset(): void {
    this.#text = "";
    this.#ended = false;
  }
}
