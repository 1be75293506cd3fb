import { type Action, isRunnable, type ProgramLanguage, type PromptBuilder, type ToolProtocol } from "@toolglot/core";
import { renderPythonStubs, renderTypeScriptDeclarations } from "@toolglot/core/stubs";
import { createTextProtocol, type TextProtocolOptions, textHash } from "@toolglot/core/text";
import { checkKeys } from "@toolglot/internal";
import { explain } from "./explain.ts";
import { createParser } from "./parse.ts";
import { formatResults } from "./results.ts";
import type { AttpDocument } from "./types.ts";
import { writeActions } from "./write-actions.ts";

/** Options of {@link attpProtocol}. */
export interface AttpProtocolOptions extends TextProtocolOptions {
  /**
   * What teaches the model the protocol: `attpPrompt` (or `attpJavascriptPrompt`) of `@toolglot/prompts/attp`, or your own
   * for `attp/1` (or `attp-js/1`).
   */
  prompt: PromptBuilder;
  /** What programs are written in. Default `python`. */
  language?: "python" | "javascript";
  /**
   * The programs of a conversation share their variables, and the prompt states it: for an executor with a session, as
   * `sandboxExecutor(sandbox, { session })`. Default false: each program by itself, as the specification has it.
   */
  session?: boolean;
}

/** What differs with the language of programs. */
const languages = {
  python: { id: "attp", ownPrompt: "attpPrompt", renderTools: renderPythonStubs },
  javascript: { id: "attp-js", ownPrompt: "attpJavascriptPrompt", renderTools: renderTypeScriptDeclarations },
} as const;
const own = ['language:"python"|"javascript"', "session:boolean"];

/**
 * Creates ATTP as the agent's loop uses it: tools as Python stubs, one TOML document per answer, results as TOML. With
 * `language: "javascript"` its id is `attp-js` and its version `attp-js/1`: tools are TypeScript declarations, programs
 * are JavaScript.
 *
 * Throws `TypeError` when the prompt teaches another protocol or another language, and for other languages.
 *
 * @example
 * ```ts
 * const protocol = attpProtocol({ prompt: attpPrompt }); // attpPrompt of @toolglot/prompts/attp
 * const system = protocol.instructions(tools, { locale: "en", mode: "loop" });
 * ```
 */
export function attpProtocol(options: AttpProtocolOptions): ToolProtocol<AttpDocument> {
  const { language = "python", prompt, session = false } = options;
  checkKeys("attpProtocol", { language, session }, own.join(" "));
  const { id, ownPrompt, renderTools } = languages[language];
  const teaching = session ? { ...options, prompt: { ...prompt, build: inSession(prompt) } } : options;
  return createTextProtocol<AttpDocument>(teaching, {
    id,
    version: `${id}/1`,
    stop: [],
    carries: "code",
    ownPrompt: `${ownPrompt} from @toolglot/prompts/attp`,
    options: own,
    renderTools,
    createParser: (parsing) => createParser({ ...parsing, language }),
    actions: (document) => actions(document, language),
    formatResults,
    explain: (result, explaining) => explain(result, { ...explaining, language }),
    write: writeActions(language),
  });
}

const inSession =
  (prompt: PromptBuilder): PromptBuilder["build"] =>
  (options) =>
    prompt.build({ ...options, session: true });

/** Returns a program to run or a refusal; nothing for a document that must not run. */
function actions(document: AttpDocument, language: ProgramLanguage): Action[] {
  const { toolCall, span } = document;
  if (!toolCall || !isRunnable(document)) return [];
  if (toolCall.status === "fail") return [{ kind: "decline", message: toolCall.message, span }];
  const { code, target } = toolCall;
  const id = `attp-${span.start}-${textHash(code)}`;
  return [{ kind: "code", id, language, source: code, ...(target === undefined ? {} : { target }), span }];
}
