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
  ToolDefinition,
  ToolResult,
  Usage,
} from "@toolglot/core";
import type { LimitKind, RunResult } from "./types.ts";

/** What every event has. */
export interface EventTime {
  /** Milliseconds since the epoch, from the run's clock. */
  at: number;
}

/** What every event inside a step has. */
export interface StepEvent extends EventTime {
  /** The step of the run, starting at 0: one model answer and what came of it. */
  stepIndex: number;
}

/** The first event of a run. */
export interface RunStartEvent extends EventTime {
  type: "run-start";
  runId: string;
  /** The protocol with its version, as `attp/1`. */
  protocol: string;
  mode: ProtocolMode;
  locale: Locale;
  /** Names of the tools the model is shown. */
  tools: string[];
}

/** A step begins. `repair` is true when the model is asked to correct its last answer. */
export interface StepStartEvent extends StepEvent {
  type: "step-start";
  repair: boolean;
}

/**
 * What the model is asked, exactly as it goes to the provider, as what is new in it. `expandRequests` gives whole requests.
 */
export interface RequestEvent extends StepEvent {
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

/** The tools of the moment are not those of the last request; the next one, whose event follows, shows them. */
export interface ToolsChangedEvent extends StepEvent {
  type: "tools-changed";
  /** Names, as in `removed` and `changed`. */
  added: string[];
  removed: string[];
  /** Described otherwise than before, or with another schema. */
  changed: string[];
}

/** Who iterates late missed events that are kept no longer. */
export interface EventsDroppedEvent extends EventTime {
  type: "events-dropped";
  count: number;
}

/** A piece of the answer's visible text; text of a block comes as `block-delta`. */
export interface TextDeltaEvent extends StepEvent {
  type: "text-delta";
  text: string;
}

/** A piece of the answer's reasoning. */
export interface ReasoningDeltaEvent extends StepEvent {
  type: "reasoning-delta";
  text: string;
}

/** A block began at `start`, an offset into the answer's text. */
export interface BlockStartEvent extends StepEvent {
  type: "block-start";
  start: number;
}

/** A piece of a block's content. `field` is the protocol's word for it, as `code` or `thought`. */
export interface BlockDeltaEvent extends StepEvent {
  type: "block-delta";
  field: string;
  text: string;
}

/** A block ended. */
export interface BlockEndEvent extends StepEvent {
  type: "block-end";
  block: BlockBase;
}

/** A finding about the model's text. */
export interface DiagnosticEvent extends StepEvent {
  type: "diagnostic";
  diagnostic: Diagnostic;
}

/**
 * Why an answer goes back to the model. `unreadable`: its blocks can't run. `foreign-format`: it looks like a call in a format
 * that isn't the protocol's. `held-back`: a value had to be repaired and
 * the call has an effect. `truncated`: it ended too early. `empty`: there was nothing in it. `no-block`: plain text where a
 * block was due. `undeclared-call`: a native call under a protocol that is text.
 */
export type RepairReason =
  | "unreadable"
  | "foreign-format"
  | "held-back"
  | "truncated"
  | "empty"
  | "no-block"
  | "undeclared-call";

/** The answer goes back to the model with `text`. */
export interface RepairTurnEvent extends StepEvent {
  type: "repair-turn";
  reason: RepairReason;
  text: string;
}

/** An action is handed to the executor. */
export interface ActionStartEvent extends StepEvent {
  type: "action-start";
  action: Action;
}

/** What the executor reports of a call: its start, progress, end, and lines a program printed. */
export type CallEvent = StepEvent & ExecutorEvent;

/** The host is asked. */
export interface ApprovalRequestEvent extends StepEvent {
  type: "approval-request";
  request: ApprovalRequest;
}

/** What the host answered, or what stood in for it. */
export interface ApprovalResponseEvent extends StepEvent {
  type: "approval-response";
  callId: string;
  decision: Decision;
}

/** An action is over: one result per call. */
export interface ActionEndEvent extends StepEvent {
  type: "action-end";
  results: ToolResult[];
}

/** The step is over. */
export interface StepEndEvent extends StepEvent {
  type: "step-end";
  /** Why the model stopped; `error` also when its stream threw. */
  finish: FinishReason;
  usage?: Usage;
}

/** Something the host should know, and that stopped nothing. Codes are listed in the README. */
export interface WarningEvent extends EventTime {
  type: "warning";
  code: string;
  message: string;
  stepIndex?: number;
}

/** The run was told to stop; what runs gets its signal now. `run-end` follows. */
export interface RunAbortEvent extends EventTime {
  type: "run-abort";
  /** `signal`: the caller's. `limit`: out of time. */
  cause: "signal" | "limit";
  limit?: LimitKind;
}

/** The last event of every run. */
export interface RunEndEvent extends EventTime {
  type: "run-end";
  result: RunResult;
}

/**
 * Everything the loop does: run → step → call. Every event is plain JSON; as NDJSON the stream can be stored and sent.
 * `run-start` comes first, exactly one `run-end` last; `events-dropped` is for one iterator only, and in no log.
 */
export type AgentEvent =
  | RunStartEvent
  | StepStartEvent
  | RequestEvent
  | ToolsChangedEvent
  | TextDeltaEvent
  | ReasoningDeltaEvent
  | BlockStartEvent
  | BlockDeltaEvent
  | BlockEndEvent
  | DiagnosticEvent
  | RepairTurnEvent
  | ActionStartEvent
  | CallEvent
  | ApprovalRequestEvent
  | ApprovalResponseEvent
  | ActionEndEvent
  | StepEndEvent
  | WarningEvent
  | RunAbortEvent
  | RunEndEvent
  | EventsDroppedEvent;
