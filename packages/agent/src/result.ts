import type { ApprovalRequest, FinishReason, Message, ModelInfo, ToolResult, Transcript, Usage } from "@toolglot/core";

/** Which limit ended a run. */
export type LimitKind = "turns" | "tokens" | "time" | "repeats" | "cost";

/** Interface to a run under way. A string is one message of the user. */
export interface Steering {
  /**
   * Adds messages before the next request, after the results of the current step; when the model answers meanwhile, the run
   * continues with them. `interrupt` ends the model's answer now: its text stays, its calls do not run; tools that run are not stopped.
   * Messages come from the user, or are `untrusted` when they are marked so. Returns false when the run has ended, and nothing was taken.
   *
   * Throws `TypeError` for empty input, and in `single` mode.
   *
   * @example
   * ```ts
   * run.steer("Leave out the second one.", { interrupt: true });
   * ```
   */
  steer(input: string | Message | readonly Message[], options?: { interrupt?: boolean }): boolean;
  /** Adds messages when the run would otherwise end as answered or declined. Otherwise as {@link steer}. */
  followUp(input: string | Message | readonly Message[]): boolean;
}

/** Snapshot of a run; pass it to `agent.resume`. Plain JSON. It holds all messages, and no secret values. */
export interface RunSnapshot {
  version: 1;
  runId: string;
  /** The lines of its log. */
  lines: string[];
}

/**
 * `answered`: the model answered in text. `result`: in `single` mode, the action's result is the outcome. `declined`: the
 * model declined. `stopped`: by a condition of `stopWhen`. `waiting`: for decisions that come later, see `pending`. `limit`: see `limit`.
 * `aborted`: by the caller's signal. `error`: see `error`.
 */
export type RunStatus = "answered" | "result" | "declined" | "stopped" | "waiting" | "limit" | "aborted" | "error";

/** One step of a run: a model answer and what followed from it. */
export interface RunStep {
  stepIndex: number;
  finish: FinishReason;
  /** From the step's start to its end, waiting for people included. */
  ms: number;
  usage?: Usage;
  model?: ModelInfo;
}

/** Why a run ended in an error. Codes are listed in the README. */
export interface RunError {
  code: string;
  message: string;
  data?: Record<string, unknown>;
}

/** Fields of every result. */
interface RunFacts {
  runId: string;
  /** The answer (with `output`: as JSON), the decline's message, the result as text, or what was received before the end; may be empty. */
  text: string;
  /** Every result of the run, in order. */
  results: ToolResult[];
  /** The conversation, system message first. */
  transcript: Transcript;
  /**
   * Sums over the steps of what the provider counted, and over the results of what tools used (`metadata.usage`), key by key; a key that
   * nobody counted stays out. `own`: the run's part, present when a tool has used something.
   */
  usage: Usage & { own?: Usage };
  /** Those that came to their end. */
  steps: RunStep[];
  /** Messages of `steer` and `followUp` that did not reach the model. */
  undelivered: Message[];
  /** Model answers, repair turns included. */
  turns: number;
  /** How many approvals were denied. */
  denied: number;
}

/** Further fields, by the status. */
interface RunEnds<Value> {
  /** `value`: with `output`, the answer as its schema returned it; else undefined. */
  answered: { value: Value };
  /** `value`: the result's data, when it has any. */
  result: { value?: Value };
  declined: object;
  stopped: object;
  /** `pending`: what it waits for. `snapshot`: what it is resumed from. */
  waiting: { pending: (ApprovalRequest & { fingerprint: string })[]; snapshot: RunSnapshot };
  limit: { limit: LimitKind };
  aborted: object;
  error: { error: RunError };
}

/** Fields of other statuses are undefined. */
type Ends<Value> = {
  value?: Value;
  pending?: ApprovalRequest[];
  snapshot?: RunSnapshot;
  limit?: LimitKind;
  error?: RunError;
};

/**
 * The outcome of a run, plain JSON; only a `value` may be more than that, when the schema of `AgentOptions.output` makes it so. The
 * fields besides the common facts depend on `status`: `value`, `pending` and `snapshot`, `limit`, or `error`.
 */
export type RunResult<Value = unknown> = {
  [Status in RunStatus]: RunFacts & { status: Status } & RunEnds<Value>[Status] & {
      [Key in Exclude<keyof Ends<Value>, keyof RunEnds<Value>[Status]>]?: undefined;
    };
}[RunStatus];
