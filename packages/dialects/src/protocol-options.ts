import type { Locale, PromptBuilder, ProtocolMode } from "@toolglot/core";
import type { DialectId } from "./table/ids.ts";
import type { Dialect } from "./table/types.ts";

/** Options of every protocol of this package, also of those that know one dialect. */
export interface OneDialectProtocolOptions {
  /**
   * Who shows the model its tools. `request`: they are declared in the request, and the server's chat template shows them; native calls are
   * used when they come, and calls are found in the text when they don't. `prompt`: they stand in the system prompt, and all is text.
   * Default `request`.
   */
  tools?: "request" | "prompt";
  /** With `tools: "prompt"`: a prompt around the tools, as `dialectsPrompt` of `@toolglot/prompts/dialects`. Default: the tools alone. */
  prompt?: PromptBuilder;
  /** Language of results and explanations, and of the tools unless the caller names another one. Default `en`. */
  locale?: Locale;
  /** `single`: an answer without a call is a mistake, and explained. Default `loop`: it is the final answer. */
  mode?: ProtocolMode;
  /** UTF-16 units of results that the model gets back at once, as `maxResultChars` of the other protocols. Default 16,000. */
  resultBudget?: number;
}

/** Options of `dialectProtocol`. */
export interface DialectProtocolOptions extends OneDialectProtocolOptions {
  /**
   * The dialect that the model writes. `auto`: any is read, and what is written is in the dialect of the last block read, before any in
   * `hermes`.
   */
  dialect: DialectId | "auto" | Dialect;
}
