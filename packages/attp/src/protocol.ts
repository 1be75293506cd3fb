import {
  type Action,
  isRunnable,
  type Locale,
  type ParseResult,
  type PromptBuilder,
  type ProtocolMode,
  type ToolProtocol,
} from "@toolglot/core";
import { encodeMessages } from "./encode-messages.ts";
import { explain } from "./explain.ts";
import { createParser } from "./parse.ts";
import { formatResults } from "./results.ts";
import { renderPythonStubs } from "./stubs/python-stubs.ts";
import type { AttpDocument } from "./types.ts";

/** Version of the protocol, counted apart from the package's. */
const version = "attp/1";

/** Options of {@link attpProtocol}. */
export interface AttpProtocolOptions {
  /** What teaches the model the protocol: `attpPrompt` of `@toolglot/prompts/attp`, or your own for `attp/1`. */
  prompt: PromptBuilder;
  /** Language of stubs (unless the caller says another one), results and explanations. Default `en`. */
  locale?: Locale;
  /** `single`: an answer without a document is a mistake, and explained. Default `loop`: it is the final answer. */
  mode?: ProtocolMode;
  /** What programs are written in. Only `python`, the default, so far. */
  language?: "python" | "javascript";
  /** UTF-16 units of results that the model gets back at most. Default 16,000. */
  resultBudget?: number;
}

/**
 * ATTP as the agent's loop uses it: tools as Python stubs, one TOML document per answer, results as TOML.
 *
 * Throws `TypeError` when the prompt teaches another protocol, and for languages other than Python.
 */
export function attpProtocol(options: AttpProtocolOptions): ToolProtocol<AttpDocument> {
  const { prompt, locale = "en", mode = "loop", language = "python", resultBudget } = options;
  if (prompt?.forProtocol !== version) {
    throw new TypeError(
      `attpProtocol: the prompt teaches ${JSON.stringify(prompt?.forProtocol)}, not "${version}": pass attpPrompt from @toolglot/prompts/attp.`,
    );
  }
  if (language !== "python") {
    throw new TypeError(`attpProtocol: stubs and results exist for language "python" only, not for "${language}".`);
  }
  const resultOptions = resultBudget === undefined ? { locale } : { locale, budget: resultBudget };
  const format: ToolProtocol["formatResults"] = (results) => formatResults(results, resultOptions);
  /** The text behind each result of this protocol's parsers, so that explanations can show lines. */
  const sources = new WeakMap<ParseResult<AttpDocument>, string>();

  const protocol: ToolProtocol<AttpDocument> = {
    id: "attp",
    version,
    stop: [],
    renderTools: (tools, rendering) => renderPythonStubs(tools, { locale: rendering?.locale ?? locale }),
    instructions: (tools, building) =>
      prompt.build({
        toolsText: renderPythonStubs(tools, { locale: building.locale }),
        locale: building.locale,
        mode: building.mode,
      }),
    createParser(parsing) {
      const parser = createParser({ ...parsing, language });
      let chunks: string[] = [];
      return {
        feed(chunk) {
          parser.feed(chunk);
          chunks.push(chunk);
        },
        end(ending) {
          const result = parser.end(ending);
          sources.set(result, chunks.join(""));
          chunks = [];
          return result;
        },
        reset() {
          parser.reset();
          chunks = [];
        },
      };
    },
    actions,
    formatResults: format,
    explain(result) {
      const source = sources.get(result as ParseResult<AttpDocument>);
      return explain(result, source === undefined ? { locale, mode } : { locale, mode, source });
    },
    encodeMessages: (messages) => encodeMessages(messages, format),
  };
  return protocol;
}

/** A program to run or a refusal; nothing for a document that must not run. */
function actions(document: AttpDocument): Action[] {
  const { toolCall, span } = document;
  if (!toolCall || !isRunnable(document)) return [];
  if (toolCall.status === "fail") return [{ kind: "decline", message: toolCall.message, span }];
  const { code, target } = toolCall;
  const id = `attp-${span.start}-${hash(code)}`;
  return [{ kind: "code", id, language: "python", source: code, ...(target === undefined ? {} : { target }), span }];
}

/** FNV-1a over UTF-16 units: the same code has the same id in every run. */
function hash(text: string): string {
  let value = 0x811c9dc5;
  for (let index = 0; index < text.length; index++) {
    value = Math.imul(value ^ text.charCodeAt(index), 0x01000193);
  }
  return (value >>> 0).toString(36);
}
