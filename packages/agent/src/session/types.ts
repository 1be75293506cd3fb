import type {
  Action,
  ApprovalRequest,
  Decision,
  FinishReason,
  Locale,
  Message,
  ProtocolMode,
  Span,
  ToolResult,
  Usage,
} from "@toolglot/core";
import type { PackedActions } from "../loop/pack-actions.ts";
import type { RunStatus, RunStep, Steering } from "../result.ts";

/** Options of `agent.resume`. */
export interface ResumeOptions {
  /**
   * Decisions about the calls that wait, by call id. One that is missing is asked for again, by `approve`, and so is one whose
   * fingerprint is not that of the call that is about to run.
   */
  decisions?: Readonly<Record<string, LaterDecision>>;
  /** Takes decisions without a fingerprint: for the call as the saved run has it now, whoever has written it. Default false. */
  allowUnbound?: boolean;
  /**
   * Results of calls of which nobody knows whether they took effect, by call id, or `rerun` for one that is to be made again. For the
   * model, the others are in doubt.
   */
  settle?: Readonly<Record<string, ToolResult | "rerun">>;
  /** Input of a run that begins, where there is none of this id: for callers that do not know whether it was begun. */
  begin?: string | readonly Message[];
  /** Messages before the next request. */
  steer?: Parameters<Steering["steer"]>[0];
  signal?: AbortSignal | undefined;
}

/**
 * Decision about a call that waited: a decision of a person, or the result that it had elsewhere. `fingerprint`: of the request in `pending`
 * that was decided about.
 */
export type LaterDecision =
  | (Omit<Decision, "later" | "result" | "fingerprint"> & { fingerprint?: string | undefined })
  | { result: Omit<ToolResult, "callId" | "name">; fingerprint?: string | undefined; by?: string };

/** Question to a person. */
export type Asked = Pick<ApprovalRequest, "kind" | "tool" | "input">;

/** Sums of a run, in all processes. */
export interface SessionCounts {
  turns: number;
  tokens: number;
  usage: Usage;
  /** Of the run alone, where its tools used something. */
  own?: Usage;
  denied: number;
  /** Number of the next call id. */
  nextCall: number;
  /** Milliseconds of the run's time, when that is limited. */
  ms: number;
}

/** One line of a log, less its number and its owner. `messages`: those that are new, less the system message. */
export type SessionEntry =
  | {
      type: "head";
      version: 1;
      runId: string;
      protocol: string;
      mode: ProtocolMode;
      locale: Locale;
      messages: Message[];
      /** Names the run in traces. */
      traceparent?: string;
    }
  /** A process claims the run: lines of others do not count any more. */
  | { type: "owner" }
  /** Messages of the host. */
  | { type: "messages"; messages: Message[] }
  /** The model has answered, and its actions are about to run. */
  | ({ type: "answer"; stepIndex: number; counts: SessionCounts; messages: Message[] } & OpenAnswer &
      Pick<PackedActions, "bytes">)
  | { type: "call-start"; callId: string }
  | { type: "call-end"; callId: string; result: ToolResult }
  | { type: "decision"; callId: string; asked: Asked; decision: Decision }
  /** An action is over. */
  | { type: "results"; results: ToolResult[] }
  /** Calls of the open action wait for decisions; all others of it have their results. */
  | { type: "waiting"; pending: ApprovalRequest[]; results: ToolResult[]; counts: SessionCounts }
  /** A step is over, and the next one begins. The message with its results is not among `messages`. */
  | { type: "step"; step: RunStep; repair: boolean; counts: SessionCounts; text: string; messages: Message[] }
  | { type: "end"; status: RunStatus; text: string; counts: SessionCounts; messages: Message[] };

/** The parts of an answer that its actions need. */
export interface OpenAnswer {
  /** Of the block that the actions come from, when there is one: its text and its place. */
  block?: { text: string; span: Span };
  actions: Action[];
  /** Messages for the model besides the results. */
  notes: string[];
  /** The answer's visible text. */
  text: string;
  finish: FinishReason;
  usage?: Usage;
}
