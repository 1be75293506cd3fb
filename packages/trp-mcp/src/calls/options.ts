import type { ClientTracing } from "@toolglot/trp-client";
import type { Principal } from "@toolglot/trp-core";
import type { ImportedTool } from "../types.ts";
import type { CallChannel } from "./call-channel.ts";

/** Options of `createToolCalls`. */
export interface ToolCallsOptions {
  /** Finds an imported tool by its capability: as a principal has it. */
  tool(capId: string, principal: Principal): ImportedTool | undefined;
  /** The one that the capabilities were imported with. */
  channel: CallChannel;
  /** Whether people may be asked through the client program. Default true; about CRITICAL calls never. */
  elicitation?: boolean;
  /** How long a call waits for a decision on the page. Milliseconds, default 45,000. */
  waitMs?: number;
  /** Where a request can be decided in a browser. Default: nowhere. */
  approvalUrl?(approvalId: string): string | undefined;
  /** Where calls in doubt can be settled in a browser. Default: nowhere. */
  inDoubtUrl?(): string | undefined;
  /** Whether calls that a rule sends to an approver may be decided on the page alone. Default: none. */
  isPageOnly?(rule: string): boolean;
  /** What becomes of a WRITE whose arguments look damaged. Default `refuse`. */
  damaged?(tool: ImportedTool): "refuse" | "report";
  /** Runs what waits for a person's decision about a call, as in a span of its own. Default: runs it. */
  whileAsking?(tool: ImportedTool, ask: () => Promise<boolean>): Promise<boolean>;
  /** Tells the router the trace of each call: `traceClient()` of `@toolglot/trp-client/tracing`. Default: none. */
  tracing?: ClientTracing | undefined;
}
