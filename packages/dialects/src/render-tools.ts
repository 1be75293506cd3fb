import type { Locale } from "@toolglot/core";
import { checkKeys } from "@toolglot/internal";
import { dialectOf } from "./table/dialect-of.ts";
import type { DialectId } from "./table/ids.ts";
import type { DialectTool } from "./types.ts";
import { renderRow } from "./write/render-any.ts";

/** Options of {@link renderTools}. */
export interface RenderToolsOptions {
  /** One of `hermes`, `qwen-xml`, `glm`, `harmony`. */
  dialect: DialectId;
  /** Language of the words around the tools. Default `en`. */
  locale?: Locale;
}

/**
 * Returns a text for a system prompt which shows a model its tools, in the form that its own chat template uses, with the form of a call.
 * For servers that show the model no tools. Marks of calls in names and descriptions are neutralised. No tools: an empty text.
 *
 * @throws `TypeError` for a dialect other than `hermes`, `qwen-xml`, `glm` and `harmony`, for tools of another shape, and for unknown
 * options.
 */
export function renderTools(tools: readonly DialectTool[], options: RenderToolsOptions): string {
  const given: { dialect: string; locale?: Locale } = options;
  checkKeys("renderTools", given, 'dialect:text locale:"zh"|"en"', ["dialect"]);
  return renderRow(dialectOf("renderTools", options.dialect), tools, options.locale);
}
