import type {
  Action,
  ApprovalRequest,
  BlockBase,
  Decision,
  Diagnostic,
  ExecutorEvent,
  FinishReason,
  Locale,
  Message,
  ProtocolMode,
  Question,
  QuestionAnswer,
  ToolDefinition,
  ToolResult,
  Usage,
} from "@toolglot/core";
import type { LimitKind, RunResult } from "./result.ts";

/**
 * Why an answer goes back to the model. `unreadable`: its blocks can't run. `foreign-format`: it looks like a call in a format
 * that isn't the protocol's. `not-sent`: its only call is shown within text, or can't be read. `held-back`: a value had to be repaired and the call has an effect. `truncated`: it ended too early.
 * `empty`: there was nothing in it. `no-block`: plain text where a block was due. `undeclared-call`: a native call under a
 * protocol that is text. `invalid-output`: it is not in the form that the host asked for.
 */
export type RepairReason =
  | "unreadable"
  | "foreign-format"
  | "not-sent"
  | "held-back"
  | "truncated"
  | "empty"
  | "no-block"
  | "undeclared-call"
  | "invalid-output";

/** An event inside a step. */
export type StepEvent = {
  /** The step of the run, starting at 0: one model answer and what came of it. */
  stepIndex: number;
} & (
  | {
      type: "step-start";
      /** Whether the model is asked to correct its last answer. */
      repair: boolean;
    }
  /** The new part of a request, exactly as it goes to the provider. `expandRequests` returns whole requests. */
  | {
      type: "request";
      /** How many messages of the request before stand at the start of this one. */
      from: number;
      /** The messages from there on. */
      messages: Message[];
      /** How many messages the request has. */
      total: number;
      /** Only when they are not those of the request before. */
      tools?: ToolDefinition[];
      stop?: string[];
    }
  /** The tools differ from those of the last request; the next one, whose event follows, shows them. Names, as in `removed`. */
  | { type: "tools-changed"; added: string[]; removed: string[]; changed: string[] }
  /** The model failed before its first part, and is asked again after `delayMs`; `attempt` counts the requests that were made. */
  | { type: "model-retried"; attempt: number; delayMs: number; reason: string }
  /** A piece of the answer's visible text; text of a block comes as `block-delta`. */
  | { type: "text-delta"; text: string }
  | { type: "reasoning-delta"; text: string }
  /** A block began at `start`, an offset into the answer's text. */
  | { type: "block-start"; start: number }
  /**
   * A piece of a block's content. `field` is the protocol's word for it, as `code` or `thought`; of native calls, whose arguments come in
   * pieces, `input`. Of calls, `call` counts those of the block (of native calls, those of the answer) from 0. The first piece of a call has `tool` and no `param`; with
   * `param`, `text` is a piece of that argument: joined, they are its value when that is a string; any other value comes at once, as JSON.
   */
  | { type: "block-delta"; field: string; text: string; call?: number; tool?: string; param?: string }
  | { type: "block-end"; block: BlockBase }
  /** A finding about the model's text. */
  | { type: "diagnostic"; diagnostic: Diagnostic }
  /** The answer goes back to the model with `text`. */
  | { type: "repair-turn"; reason: RepairReason; text: string }
  /** An action is handed to the executor. */
  | { type: "action-start"; action: Action }
  /** Reports of the executor about a call: its start, progress, end, and lines a program printed. */
  | ExecutorEvent
  /** The host is asked for approval. */
  | { type: "approval-request"; request: ApprovalRequest }
  /** The host's answer, or what counts as it. */
  | { type: "approval-response"; callId: string; decision: Decision }
  /** A call was under way when an earlier process ended: it is not made again, and is in doubt for the model. */
  | { type: "call-in-doubt"; callId: string; name?: string }
  /** A server asks the host something, in the middle of a call. */
  | { type: "question"; callId: string; question: Question }
  /** The host's answer, or what counts as it. */
  | { type: "question-answer"; callId: string; answer: QuestionAnswer }
  /** An action is over: one result per call. */
  | { type: "action-end"; results: ToolResult[] }
  /** Requests have a shorter conversation from now on. `before`, `after`: estimated tokens of the request. */
  | {
      type: "compaction";
      reason: "estimate" | "overflow";
      before: number;
      after: number;
      messagesBefore: number;
      messagesAfter: number;
    }
  /** Messages of `steer` or `followUp`, as they join the conversation: before the step's request. */
  | { type: "message-injected"; kind: "steer" | "follow-up"; messages: Message[] }
  /** The step is over. `finish`: why the model stopped; `error` also when its stream threw. */
  | { type: "step-end"; finish: FinishReason; usage?: Usage }
);

/** An event of the run as a whole. */
export type RunEvent =
  | {
      type: "run-start";
      runId: string;
      /** The protocol with its version, as `attp/1`. */
      protocol: string;
      mode: ProtocolMode;
      locale: Locale;
      /** Names of the tools the model is shown. */
      tools: string[];
    }
  /** Something the host should know, and that stopped nothing. Codes are listed in the README. */
  | { type: "warning"; code: string; message: string; stepIndex?: number }
  /** The run is being stopped: by the caller's signal, because its time is over, or because its session's store or a durable engine failed; its tools get their signal now. `run-end` follows. */
  | { type: "run-abort"; cause: "signal" | "limit" | "session" | "step"; limit?: LimitKind }
  /** A run that was begun before continues: with a request, an action, or calls that waited. Otherwise as `run-start`. */
  | {
      type: "run-resume";
      runId: string;
      from: "model" | "action" | "approval";
      protocol: string;
      mode: ProtocolMode;
      locale: Locale;
      tools: string[];
    }
  | { type: "run-end"; result: RunResult }
  /** An iterator that started late missed events that are no longer kept. */
  | { type: "events-dropped"; count: number };

/**
 * Everything the loop does: run → step → call. Every event is plain JSON; as NDJSON the stream can be stored and sent.
 * `run-start` or `run-resume` comes first, exactly one `run-end` last; `events-dropped` is for one iterator only, and in no log. The type of one
 * event is `Extract<AgentEvent, { type: "request" }>`.
 */
export type AgentEvent = (RunEvent | StepEvent) & {
  /** Milliseconds since the epoch, from the run's clock. */
  at: number;
};
