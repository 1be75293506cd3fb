/** Runs the response template of a checkpoint: from the text of an answer to a message. */
import { checkKeys, type JsonObject } from "@toolglot/core";
import type { DialectTool } from "../types.ts";
import { parameterTypes } from "./cast-arguments.ts";
import { readerOf } from "./response-parser.ts";
import { compileTemplate } from "./template.ts";
import type { ResponseEvent, ResponseParser, ResponseTemplate } from "./types.ts";

export { dialectFromTemplate } from "./dialect.ts";
export type {
  ContentArguments,
  ContentParser,
  ResponseEvent,
  ResponseField,
  ResponseParser,
  ResponseTemplate,
} from "./types.ts";

/** What a template is run with. */
export interface ResponseOptions {
  /** The prompt that the answer follows. What stands behind its last anchor begins the answer. Default: none. */
  prefix?: string;
  /** Texts among the arguments of calls are cast to the types that these declare. Default: nothing is cast. */
  tools?: readonly DialectTool[];
}

/** Options of a parser. */
export interface ResponseParserOptions extends ResponseOptions {
  /** Receives what `feed` and `end` find. Pieces of a text depend on the chunks, but what they are together does not. */
  onEvent?: (event: ResponseEvent) => void;
}

/**
 * Checks the response template of a checkpoint, which is version 1 of Hugging Face's `response_template`.
 *
 * @throws TypeError that names what is wrong with it, and where: an unknown key, say, or a pattern that JavaScript has no form for.
 */
export function checkResponseTemplate(template: unknown): asserts template is ResponseTemplate {
  compileTemplate(template as ResponseTemplate);
}

/**
 * Returns the message that an answer holds, as `parse_response` of transformers has it. A region that can't be read is left out, and so are
 * empty members.
 *
 * ```ts
 * const template = JSON.parse(tokenizerConfig).response_template;
 * const message = parseResponse(answer, template, { prefix: prompt });
 * ```
 *
 * @throws TypeError for a template or options that are wrong.
 * @throws ToolglotError with the code `dialects/response-incomplete` when a field is missing that is not optional; `data.fields` names it.
 */
export function parseResponse(text: string, template: ResponseTemplate, options: ResponseOptions = {}): JsonObject {
  checkKeys("parseResponse", options, "prefix:string tools:object[]");
  const parser = createResponseParser(template, options);
  parser.feed(text);
  return parser.end();
}

/**
 * Returns a parser that takes an answer piece by piece. The message is the same whatever the pieces.
 *
 * @throws TypeError for a template or options that are wrong.
 */
export function createResponseParser(template: ResponseTemplate, options: ResponseParserOptions = {}): ResponseParser {
  checkKeys("createResponseParser", options, "prefix:string tools:object[] onEvent:function");
  const { prefix = "", tools = [], onEvent = () => {} } = options;
  return readerOf(compileTemplate(template), prefix, parameterTypes(tools), onEvent);
}
