import type { LogEntry, ToolCall, ToolErrorInfo, ToolResult } from "./call.ts";
import type { CallHooks } from "./call-hooks.ts";
import type { JsonSchemaObject } from "./json.ts";
import type { Span } from "./span.ts";

/** What a block of model text asks for. Each kind is run by an {@link Executor} that handles it. */
export type Action = CallsAction | PlanAction | CodeAction | DeclineAction;

/** Calls made together; the executor decides what runs side by side. */
export interface CallsAction {
  kind: "calls";
  calls: ToolCall[];
  span: Span;
}

/** Steps that run one after another. */
export interface PlanAction {
  kind: "plan";
  plan: Plan;
  span: Span;
}

/** A program that calls tools as functions. */
export interface CodeAction {
  kind: "code";
  id: string;
  language: "python" | "javascript";
  source: string;
  /** What the program is for, in the model's words. */
  target?: string;
  span: Span;
}

/** A refusal: the model cannot or will not carry out the request. */
export interface DeclineAction {
  kind: "decline";
  message: string;
  span: Span;
}

/** Steps with what they share. */
export interface Plan {
  requestId?: string;
  /** Parameters of every step, unless a step has its own. */
  common: Record<string, unknown>;
  steps: PlanStep[];
}

/** One step of a plan. */
export interface PlanStep {
  /** The step's number; unique, rising, gaps allowed. */
  index: number;
  callId: string;
  tool: string;
  params: Record<string, unknown>;
  /** Parameters given as references, by parameter name. */
  uris: Record<string, string>;
  onError: "stop" | "continue";
  /** Extra attempts after a failure. */
  retry: number;
  /** Faults found while reading: such a step fails without being run. */
  errors: ToolErrorInfo[];
  span: Span;
}

/** A question to the host before something runs. */
export interface ApprovalRequest {
  /**
   * What is asked about: a tool call, a call that nobody here runs (its result is the answer), a block that was held back, or a server that
   * wants a model's text (`input`: its request).
   */
  kind: "tool-call" | "external-call" | "echoed-block" | "sampling";
  callId: string;
  tool?: string;
  input?: unknown;
  /** One sentence for the person who decides. */
  reason: string;
  /**
   * Of a request that waits: SHA-256 over what is asked about, the tool and its input, in hexadecimal. A decision that comes later holds
   * it, and counts for nothing else.
   */
  fingerprint?: string;
}

/** The host's answer. */
export interface Decision {
  approved: boolean;
  /** The model reads it when the call is denied. */
  reason?: string;
  /** Who decided. */
  by?: string;
  /** Of a decision that comes later: the request's, as it was shown. */
  fingerprint?: string;
  /** What the call came to elsewhere: it does not run here, and this is its result. `approved` is false then. */
  result?: ToolResult;
  /**
   * Nobody has decided yet, and will while the run stands still: the call does not run, and its result is `pending`. An executor that
   * can't leave a call so takes it for a denial.
   */
  later?: true;
}

/** What a server that runs a call asks in the middle of it: a person, or for a model's text. All of it is a stranger's. */
export interface Question {
  /** What is wanted: a person's answer, a model's text, or the folders that the host works on. */
  kind: "elicitation" | "sampling" | "roots";
  /** The server, by the name that the host gave it. */
  server: string;
  /** The server's own name for the question, where it has one: it may ask several at once. */
  key?: string;
  /** For the person. */
  message?: string;
  /** Of the content that is wanted, an object. */
  schema?: JsonSchemaObject;
  /** `url`: the person is to open `url`, and no content is wanted. Default `form`. */
  mode?: "form" | "url";
  url?: string;
  /** Of `sampling`: messages and settings, as MCP has them. */
  request?: Record<string, unknown>;
}

/** The answer to a {@link Question}. */
export interface QuestionAnswer {
  action: "accept" | "decline" | "cancel";
  /** Of `accept`: what fits the question's schema; of `sampling`, the message as MCP has it: `{ role, content, model }`; of `roots`, `{ roots }`. */
  content?: unknown;
}

/** What an executor reports while it runs. `requestId`: of the plan that the call is a step of, when it has one. */
export type ExecutorEvent =
  | { type: "tool-call-start"; callId: string; name: string; input: unknown; requestId?: string }
  | { type: "tool-call-progress"; callId: string; name: string; data: unknown; requestId?: string }
  | {
      type: "tool-call-end";
      callId: string;
      name: string;
      requestId?: string;
      status: ToolResult["status"];
      ms: number;
      data?: unknown;
      error?: ToolErrorInfo;
    }
  | { type: "log"; callId: string; entry: LogEntry }
  | ({ type: "wait-start" } & WaitRequest)
  | ({ type: "wait-end"; outcome: WaitOutcome } & WaitRequest);

/** What a call waits for while a person is asked: a value that the model must not see, by its name. */
export interface WaitRequest {
  callId: string;
  for: "value";
  key: string;
}

/** How a wait ended. `known`: there was such a value already; `kept`: it was given, and is kept for later sessions. */
export type WaitOutcome = "given" | "kept" | "known" | "cancelled" | "aborted";

/** What an executor gets besides the action. */
export interface ExecutorContext {
  signal: AbortSignal;
  emit(event: ExecutorEvent): void;
  /** Asks the host. The time it takes counts to no limit. */
  approve(request: ApprovalRequest): Promise<Decision>;
  /** Waits for a person by some other way than {@link approve}. The time counts to no limit; events report start and end. */
  wait?<Result extends { outcome: WaitOutcome }>(request: WaitRequest, work: () => Promise<Result>): Promise<Result>;
  /** Passes a server's question on to the host. The time counts to no limit. Never rejects. */
  ask?(question: Question, call: { callId: string; tool?: string }): Promise<QuestionAnswer>;
  runId: string;
  /** The step of the run, starting at 0. */
  stepIndex: number;
  /** Around each call of the action, a program's calls included. Default: none. */
  hooks?: CallHooks;
}

/** Runs actions of the kinds it handles. Never rejects for what the model or a tool did: that is a result. */
export interface Executor {
  handles(action: Action): boolean;
  /** It honours {@link ExecutorContext.hooks} at every call. Without this word an agent that has hooks does not take it. */
  readonly honoursHooks?: true;
  /**
   * Whether an action that was under way when its process ended can be handed over again: a durable log of the executor's own knows what has
   * happened. Default: it can't.
   */
  resumes?(action: Action): boolean;
  execute(action: Action, context: ExecutorContext): Promise<ToolResult[]>;
}
