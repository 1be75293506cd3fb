import type { BlockBase, Locale, ParseOptions, Parser, ProtocolEvent, ToolProtocol, ToolResult } from "@toolglot/core";
import { resultText } from "@toolglot/core/results";
import { createPushParser, TextScanner } from "@toolglot/core/text";
import { checkKeys } from "@toolglot/internal";
import { foreignFormat } from "./codes.ts";

/** Options of {@link nativeProtocol}. */
export interface NativeProtocolOptions {
  /** Language of the message to a model that writes calls as text. Default `en`. */
  locale?: Locale;
}

const callsAsText: Record<Locale, string> = {
  en: "Your last answer looks like a function call written as text, which runs nothing. Call the declared functions through the function-calling interface; if it was meant as the answer, give it again.",
  zh: "你上一次的回答像是以文本形式写出的函数调用，它不会执行任何操作。请通过函数调用接口调用已声明的函数；如果这就是答案，请再次给出。",
};

/**
 * Creates the protocol of the provider's own function calls: tools are declared in the request, calls come back as call parts, all
 * text but reasoning is the answer. The baseline that text protocols are measured against. Results go back as `result` parts
 * of a `tool` message, for the model's adapter to hand over in the provider's form.
 *
 * @example
 * ```ts
 * createAgent({ model, protocol: nativeProtocol(), executor, tools: toolkit });
 * ```
 */
export function nativeProtocol(options: NativeProtocolOptions = {}): ToolProtocol {
  checkKeys("nativeProtocol", options, 'locale:"zh"|"en"');
  const { locale = "en" } = options;
  return {
    id: "native",
    version: "native/1",
    stop: [],
    carries: "calls",
    declaresTools: true,
    renderTools: () => "",
    instructions: () => "",
    createParser,
    actions: () => [],
    formatActions() {
      throw new TypeError(
        "nativeProtocol: calls are parts of a message, never text; pass them to the provider as parts.",
      );
    },
    formatResults: (results) => results.map(written).join("\n\n"),
    explain: ({ diagnostics }) =>
      diagnostics.some(({ code }) => code === foreignFormat) ? callsAsText[locale] : undefined,
    encodeMessages: (messages) => [...messages],
    encodeMessage: (message) => [message],
  };
}

/** Creates a parser that never finds a block; the text layer separates reasoning from text, as for every protocol. */
function createParser(options: ParseOptions & { onEvent?: (event: ProtocolEvent) => void }): Parser<BlockBase> {
  return createPushParser(
    () => new TextScanner<BlockBase>({ grammar: { protocol: "native", line: () => "no" }, ...options }),
  );
}

/** Returns a result as a text of its own; an error without words in its content shows its type. */
function written(result: ToolResult): string {
  const { content, error } = result;
  return `${error && content.length === 0 ? `${error.type}: ` : ""}${resultText(result, { native: true })}`;
}
