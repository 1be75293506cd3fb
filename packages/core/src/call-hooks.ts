import type { ToolCall, ToolResult } from "./call.ts";
import type { ToolDefinition } from "./tool-definition.ts";

/** Where a call is made. */
export interface CallHookContext {
  runId: string;
  /** The step of the run, starting at 0. */
  stepIndex: number;
  /** What is known of the tool; undefined where there is none of that name. */
  tool?: ToolDefinition;
  signal: AbortSignal;
}

/**
 * Answer to {@link CallHooks.beforeCall}. Nothing: the call proceeds. `input`: it proceeds with this one, checked as the model's was.
 * `result`: that is its result, and `deny`: it was denied, for the reason that the model reads; in both cases nothing is run.
 */
export type BeforeCallAnswer = undefined | { input: unknown } | { result: ToolResult } | { deny: string };

/**
 * What the host has a say in, at each call of each tool, whatever runs it and whatever protocol it came by. Every executor of this project
 * honours them, in this order: `settled`; the input is checked; `beforeCall`; a changed input is checked again; the host is asked for its
 * approval; `startCall`; the tool runs; `afterCall`. A hook that throws fails closed: the call does not run, or its result is
 * replaced by an error that does not reveal the cause.
 */
export interface CallHooks {
  /** Returns the result of a call that is known already, as from an earlier process: nothing else is done with it. */
  settled?(call: ToolCall, context: CallHookContext): ToolResult | undefined | Promise<ToolResult | undefined>;
  /** Called before a call whose input is valid. The call is a copy. */
  beforeCall?(call: ToolCall, context: CallHookContext): BeforeCallAnswer | Promise<BeforeCallAnswer>;
  /** Called right before the tool runs, with its final input. It runs once this has resolved. */
  startCall?(call: ToolCall, context: CallHookContext): void | Promise<void>;
  /**
   * Called with each result, also denials, invalid inputs and results from `beforeCall`; what it returns takes the result's place.
   * Not called for calls that wait for a decision.
   */
  afterCall?(
    call: ToolCall,
    result: ToolResult,
    context: CallHookContext,
  ): ToolResult | undefined | Promise<ToolResult | undefined>;
}
