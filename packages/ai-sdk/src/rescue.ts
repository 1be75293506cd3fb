/** Calls that leaked into the text of a model with native calls. */
import { checkKeys } from "@toolglot/core";
import { type Dialect, type DialectId, dialectProtocol } from "@toolglot/dialects";
import { type ToolglotMiddleware, toolglotMiddleware } from "./middleware.ts";
import type { ToolglotMiddlewareOptions } from "./options.ts";
import type { SpecificationVersion } from "./spec.ts";

/** Options of {@link rescueToolCalls}. */
export interface RescueToolCallsOptions<Version extends SpecificationVersion = "v4">
  extends Pick<
    ToolglotMiddlewareOptions<Version>,
    "specificationVersion" | "locale" | "unreadable" | "values" | "definitions" | "onDiagnostic"
  > {
  /** The dialect that the model writes; `auto` tells it by what a call begins with. Default `auto`. */
  dialect?: DialectId | "auto" | (string & {}) | Dialect;
}

/**
 * Turns the tool calls that a server hands out as text into tool calls, in streams and in whole answers: for models with native calls whose
 * server has a wrong parser, or none. The request stays as it is. Calls that the provider makes itself pass as they are, and then nothing is
 * called by text. A call whose value may not be what the model meant fails with an explanation, unless its tool only reads.
 *
 * @throws `TypeError` for options that can't be meant.
 *
 * @example
 * ```ts
 * const model = wrapLanguageModel({
 *   model: provider,
 *   middleware: rescueToolCalls({ specificationVersion: "v3" }), // ai 6; leave it out for ai 7
 * });
 * ```
 */
export function rescueToolCalls<Version extends SpecificationVersion = "v4">(
  options: RescueToolCallsOptions<Version> = {},
): ToolglotMiddleware<Version> {
  checkKeys(
    "rescueToolCalls",
    options,
    'dialect:string|object specificationVersion:"v3"|"v4" locale:"zh"|"en" unreadable:"feedback"|"text" values:"hold"|"run" definitions:object[] onDiagnostic:function',
  );
  const { dialect = "auto", ...rest } = options;
  const { locale } = rest;
  return toolglotMiddleware({
    ...rest,
    protocol: dialectProtocol({ dialect: dialect as DialectId, ...(locale && { locale }) }),
  });
}
