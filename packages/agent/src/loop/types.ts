import type {
  Action,
  ApprovalRequest,
  BlockBase,
  EndOptions,
  FinishReason,
  InputIssue,
  Message,
  MessagePart,
  Model,
  ParseResult,
  Parser,
  ToolCall,
  ToolDefinition,
  ToolProtocol,
  Usage,
} from "@toolglot/core";
import type { RepairReason, StepEvent } from "../events.ts";
import type { LimitKind, RunError, RunSnapshot, RunStatus } from "../result.ts";
import type { OpenAnswer } from "../session/types.ts";
import type { ArgumentStream } from "./argument-stream.ts";

/** An action that something runs. */
export type Runnable = Exclude<Action, { kind: "decline" }>;

/** How a run ends, before the sums are added. */
export interface Outcome {
  status: RunStatus;
  text: string;
  value?: unknown;
  limit?: LimitKind;
  error?: RunError;
  pending?: ApprovalRequest[];
  snapshot?: RunSnapshot;
}

/** Settings of one step: the run's own, or those that `prepareStep` has put in their place. */
export interface StepSetting {
  model: Model;
  protocol: ToolProtocol;
  /** Tools for the model, as whole definitions, and as they are declared to a provider. */
  tools: readonly ToolDefinition[];
  declared: readonly ToolDefinition[];
  system: string | undefined;
  maxTokens: number | undefined;
  stop: readonly string[];
  /** In place of the conversation, in the requests of this step. */
  messages: readonly Message[] | undefined;
  /** Its requests do not continue the earlier ones: all messages are encoded for them. */
  isApart: boolean;
}

/** One answer of the model, read to its end or as far as it came. */
export interface Answer {
  /** Everything the model wrote but reasoning parts. */
  text: string;
  parsed: ParseResult<BlockBase>;
  calls: ToolCall[];
  finish: FinishReason;
  usage?: Usage;
  /** The host ended it; its calls don't run. */
  interrupted?: boolean;
  /** The model's stream failed; what was received before is kept. */
  error?: RunError;
}

/** Received parts of an answer, while the stream is open. */
export interface Draft {
  text: string;
  /** Visible text, as the parser emitted it. */
  visible: string;
  reasoning: string;
  /** The stretches of it that the provider wants back as its own. */
  signed: (MessagePart & { type: "reasoning" })[];
  calls: ToolCall[];
  /** Calls whose arguments come in pieces, by their ids, in the order in which they begin. */
  inputs: Map<string, ArgumentStream>;
  end: EndOptions;
  usage: Usage | undefined;
  /** Whether any part came. */
  received: boolean;
  parser: Parser<BlockBase>;
  /** Where its events go, as they come. */
  emit(event: StepEvent): void;
  /** Returns the id that a native call has in the run. */
  idOf(given: string): string;
}

/** Fault of a request. */
export interface ModelFault {
  error: RunError;
  /** The request was longer than the model's context. */
  isOverflow: boolean;
}

/** A verdict that sends an answer back to the model. */
export interface Repair {
  kind: "repair";
  reason: RepairReason;
  text: string;
  /** The text that becomes the answer when the model repeats it after the repair turns. */
  keptAnswer?: string;
  /** Where it is not in the form that the host asked for. */
  issues?: InputIssue[];
  /** The model has the text already, as a result. */
  isKnown?: true;
}

/** Decision of the loop about an answer. */
export type Verdict =
  | { kind: "answer"; text: string; value?: unknown }
  | { kind: "fail"; error: RunError }
  | Repair
  | {
      kind: "act";
      actions: Action[];
      /** The block they come from; absent for native calls. */
      block?: BlockBase;
      /** Messages for the model besides the results. */
      notes: string[];
    };

/** The actions of an answer. */
export type AskedActions = Pick<OpenAnswer, "actions" | "notes" | "block">;
