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
import type { RunStatus, RunStep, Steering } from "../types.ts";
import type { PackedActions } from "./pack-actions.ts";

/**
 * Where the logs of runs are kept: one log a run, lines of JSON, to which lines are only added. A log holds everything that was said: keep
 * it as private as that.
 */
export interface SessionStore {
  /**
   * Adds lines at the end of the log of a run, and resolves once they will be found after a crash. `at`: how many lines that count the log
   * has by what the caller knows; a store that finds others rejects with `ToolglotError` `agent/session-busy`, so that a run that
   * another process has taken over has no effect any more. A store that can't tell may leave that out: then only resuming is fenced.
   */
  append(runId: string, lines: string[], at: number): Promise<void>;
  /** All lines, also those that do not count; undefined when there is no such run. The last one may be torn. */
  read(runId: string): Promise<string[] | undefined>;
  delete?(runId: string): Promise<void>;
}

/** A run as it stands, to be gone on with by `agent.resume`: plain JSON. It holds everything that was said, and no secret values. */
export interface RunSnapshot {
  version: 1;
  runId: string;
  /** The lines of its log. */
  lines: string[];
}

/** How a run is gone on with. */
export interface ResumeOptions {
  /**
   * What was decided about the calls that wait, by call id. One that is missing is asked for again, by `approve`, and so is one whose
   * fingerprint is not that of the call that is about to run.
   */
  decisions?: Readonly<Record<string, LaterDecision>>;
  /** Takes decisions without a fingerprint: for the call as the saved run has it now, whoever has written it. Default false. */
  allowUnbound?: boolean;
  /**
   * What became of calls of which nobody knows whether they took effect, by call id: the result, or `rerun` for one that is to be made again.
   * Of the others the model is told that they are in doubt.
   */
  settle?: Readonly<Record<string, ToolResult | "rerun">>;
  /** What a run is begun with, where there is none of this id: for who does not know whether it was begun. */
  begin?: string | readonly Message[];
  /** Said before the next request. */
  steer?: Parameters<Steering["steer"]>[0];
  signal?: AbortSignal | undefined;
}

/**
 * What was decided about a call that waited: a decision, or the result that it had elsewhere. `fingerprint`: of the request in `pending`
 * that was decided about.
 */
export type LaterDecision =
  | (Omit<Decision, "later" | "result" | "fingerprint"> & { fingerprint?: string | undefined })
  | { result: Omit<ToolResult, "callId" | "name">; fingerprint?: string | undefined; by?: string };

/** What a person was asked. */
export type Asked = Pick<ApprovalRequest, "kind" | "tool" | "input">;

/** Sums that go on. */
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
  /** A process goes on with the run: lines of others do not count any more. */
  | { type: "owner" }
  /** The line before was cut off by a crash. */
  | { type: "torn" }
  /** The host has said something. */
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

/** Of an answer, what its actions are run with. */
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
