import {
  type Action,
  isRunnable,
  type Locale,
  type PromptBuilder,
  type ProtocolMode,
  type ToolProtocol,
} from "@toolglot/core";
import { renderPythonStubs } from "@toolglot/core/stubs";
import { createTextProtocol, textHash } from "@toolglot/core/text";
import { encodeMessages } from "./encode-messages.ts";
import { explain } from "./explain.ts";
import { createParser } from "./parse.ts";
import { formatResults } from "./results.ts";
import type { AttpDocument } from "./types.ts";

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
  if (language !== "python") {
    throw new TypeError(`attpProtocol: stubs and results exist for language "python" only, not for "${language}".`);
  }
  const resultOptions = resultBudget === undefined ? { locale } : { locale, budget: resultBudget };
  const format: ToolProtocol["formatResults"] = (results) => formatResults(results, resultOptions);
  return createTextProtocol<AttpDocument>({
    id: "attp",
    version: "attp/1",
    stop: [],
    prompt,
    ownPrompt: "attpPrompt from @toolglot/prompts/attp",
    locale,
    renderTools: renderPythonStubs,
    createParser: (parsing) => createParser({ ...parsing, language }),
    actions,
    formatResults: format,
    explain: (result, source) => explain(result, source === undefined ? { locale, mode } : { locale, mode, source }),
    encodeMessages: (messages) => encodeMessages(messages, format),
  });
}

/** A program to run or a refusal; nothing for a document that must not run. */
function actions(document: AttpDocument): Action[] {
  const { toolCall, span } = document;
  if (!toolCall || !isRunnable(document)) return [];
  if (toolCall.status === "fail") return [{ kind: "decline", message: toolCall.message, span }];
  const { code, target } = toolCall;
  const id = `attp-${span.start}-${textHash(code)}`;
  return [{ kind: "code", id, language: "python", source: code, ...(target === undefined ? {} : { target }), span }];
}
