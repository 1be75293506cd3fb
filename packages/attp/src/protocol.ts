import {
  type Action,
  isRunnable,
  type Locale,
  type ProgramLanguage,
  type PromptBuilder,
  type ProtocolMode,
  type ToolProtocol,
} from "@toolglot/core";
import { renderPythonStubs, renderTypeScriptDeclarations } from "@toolglot/core/stubs";
import { createTextProtocol, textHash } from "@toolglot/core/text";
import { checkKeys } from "@toolglot/internal";
import { encodeMessages } from "./encode-messages.ts";
import { explain } from "./explain.ts";
import { createParser } from "./parse.ts";
import { formatResults } from "./results.ts";
import type { AttpDocument } from "./types.ts";

/** Options of {@link attpProtocol}. */
export interface AttpProtocolOptions {
  /**
   * What teaches the model the protocol: `attpPrompt` (or `attpJavascriptPrompt`) of `@toolglot/prompts/attp`, or your own
   * for `attp/1` (or `attp-js/1`).
   */
  prompt: PromptBuilder;
  /** Language of stubs (unless the caller says another one), results and explanations. Default `en`. */
  locale?: Locale;
  /** `single`: an answer without a document is a mistake, and explained. Default `loop`: it is the final answer. */
  mode?: ProtocolMode;
  /** What programs are written in. Default `python`. */
  language?: "python" | "javascript";
  /** UTF-16 units of results that the model gets back at most. Default 16,000. */
  maxResultChars?: number;
}

/** What differs with the language of programs. */
const languages = {
  python: { id: "attp", ownPrompt: "attpPrompt", renderTools: renderPythonStubs },
  javascript: { id: "attp-js", ownPrompt: "attpJavascriptPrompt", renderTools: renderTypeScriptDeclarations },
} as const;

/**
 * ATTP as the agent's loop uses it: tools as Python stubs, one TOML document per answer, results as TOML. With
 * `language: "javascript"` its id is `attp-js` and its version `attp-js/1`: tools are TypeScript declarations, programs
 * are JavaScript.
 *
 * Throws `TypeError` when the prompt teaches another protocol or another language, and for other languages.
 */
export function attpProtocol(options: AttpProtocolOptions): ToolProtocol<AttpDocument> {
  checkKeys("attpProtocol", options, {
    prompt: true,
    locale: true,
    mode: true,
    language: true,
    maxResultChars: true,
  });
  const { prompt, locale = "en", mode = "loop", language = "python", maxResultChars } = options;
  if (!Object.hasOwn(languages, language)) {
    throw new TypeError(`attpProtocol: language is "python" or "javascript", not ${JSON.stringify(language)}.`);
  }
  const { id, ownPrompt, renderTools } = languages[language];
  const resultOptions = maxResultChars === undefined ? { locale } : { locale, maxChars: maxResultChars };
  const format: ToolProtocol["formatResults"] = (results) => formatResults(results, resultOptions);
  return createTextProtocol<AttpDocument>({
    id,
    version: `${id}/1`,
    stop: [],
    prompt,
    ownPrompt: `${ownPrompt} from @toolglot/prompts/attp`,
    locale,
    renderTools,
    createParser: (parsing) => createParser({ ...parsing, language }),
    actions: (document) => actions(document, language),
    formatResults: format,
    explain: (result, source) =>
      explain(result, { locale, mode, language, ...(source === undefined ? {} : { source }) }),
    encodeMessages: (messages) => encodeMessages(messages, format, language),
  });
}

/** A program to run or a refusal; nothing for a document that must not run. */
function actions(document: AttpDocument, language: ProgramLanguage): Action[] {
  const { toolCall, span } = document;
  if (!toolCall || !isRunnable(document)) return [];
  if (toolCall.status === "fail") return [{ kind: "decline", message: toolCall.message, span }];
  const { code, target } = toolCall;
  const id = `attp-${span.start}-${textHash(code)}`;
  return [{ kind: "code", id, language, source: code, ...(target === undefined ? {} : { target }), span }];
}
