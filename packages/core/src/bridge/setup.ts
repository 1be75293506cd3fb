import type { ProgramLanguage } from "../bind-names.ts";
import type { CallGuard } from "../check-call/check-call.ts";
import type { ToolProtocol } from "../protocol.ts";
import type { ToolDefinition } from "../tool-definition.ts";
import type { BridgeWording } from "./wording.ts";

/** What a bridge is made of, for those of its parts that read and write. */
export interface BridgeSetup {
  protocol: ToolProtocol;
  /** What may be called, by name. */
  tools: ReadonlyMap<string, ToolDefinition>;
  /** What the model is shown, and its text is read with. */
  shown: readonly ToolDefinition[];
  programs: { tool: string; language: ProgramLanguage } | undefined;
  words: BridgeWording;
  feedback: boolean;
  holds: boolean;
  /** Looks for damaged calls. */
  guard: CallGuard | undefined;
}

/** A place that stands for none. */
export const nowhere = { start: 0, end: 0 };
