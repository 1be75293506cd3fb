import type { Diagnostic, Locale, ToolDefinition, ToolProtocol } from "@toolglot/core";
import type { SpecificationVersion } from "./spec.ts";

/** Options of `toolglotMiddleware`. */
export interface ToolglotMiddlewareOptions<Version extends SpecificationVersion = "v4"> {
  /** How the model asks for tools: any protocol that is text. */
  protocol: ToolProtocol;
  /** `v3` for ai 6, `v4` for ai 7. For types; what is written follows the model. Default `v4`. */
  specificationVersion?: Version;
  /** Language of instructions and refusals. Default `en`. */
  locale?: Locale;
  /** Which system message the instructions join: the `first` or the `last`. Default `first`. */
  placement?: "first" | "last";
  /** For protocols of programs: the name of the tool that takes `{ code }`, and the tools that programs may call. */
  programs?: { tool: string; tools: readonly ToolDefinition[] };
  /** Tools that the provider runs stay declared to it (`pass`), or are left out with a warning (`drop`). Default `pass`. */
  providerTools?: "pass" | "drop";
  /** A call that can't be made is a call that fails with an explanation (`feedback`), or text. Default `feedback`. */
  unreadable?: "feedback" | "text";
  /** Calls with values that had to be repaired are refused (`hold`) unless the tool only reads, or made (`run`). Default `hold`. */
  values?: "hold" | "run";
  /** What tools of the AI SDK can't say, by name: annotations, examples, errors. */
  definitions?: readonly ToolDefinition[];
  /** Called for each finding about an answer. What it throws is ignored. */
  onDiagnostic?(diagnostic: Diagnostic, context: { modelId: string }): void;
}
