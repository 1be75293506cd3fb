import type {
  Action,
  ApprovalRequest,
  CallHookContext,
  CallHooks,
  Decision,
  ExecutorContext,
  Message,
  ModelRequest,
  ToolCall,
  ToolResult,
} from "@toolglot/core";
import type { CompactionInput } from "../context/compaction.ts";
import type { RunError } from "../result.ts";
import type { RequestTrace, TracedRequest } from "../tracing.ts";
import type { OwnTool } from "./tools.ts";
import type {
  Answer,
  AskedActions,
  Draft,
  ModelFault,
  Outcome,
  Repair,
  Runnable,
  StepSetting,
  Verdict,
} from "./types.ts";

/**
 * A feature of the loop, with a state that only it sees. A run has the parts that its options ask for, and calls the members that they have,
 * in the order of the parts; where one value is wanted, the first part that returns one decides. Members are called without `this`.
 */
export interface Part {
  /** Tools that the loop runs itself. Read once, when the run is made. */
  tools?: readonly OwnTool[];
  /** Called around everything that the run does: returns what `work` returns. */
  within?<Result>(work: () => Result): Result;
  /** Called for each action that an earlier process has finished, before the first step. `isOpen`: its answer has further ones. */
  restore?(action: Action, results: readonly ToolResult[], isOpen: boolean): Promise<void> | void;
  /** Called whenever a system message is composed. Returns a paragraph of it, or `""`. */
  instructions?(step: StepSetting): string;
  /** Called at the start of each step. An error ends the run. */
  beforeStep?(): Promise<RunError | undefined> | undefined;
  /** Called before the first request of a step that does not bring its own messages. */
  beforeRequest?(): Promise<unknown> | undefined;
  /** Called in place of the model, with the draft that its answer goes into. */
  askModel?(request: ModelRequest, draft: Draft): Promise<ModelFault | undefined>;
  /** Called in place of the host's compaction. */
  compact?(input: CompactionInput): Promise<readonly Message[]>;
  /** Called for each request. Returns a trace of it, which never throws. */
  traceRequest?(request: TracedRequest): SafeRequestTrace;
  /** Called when the model has refused a request as too long. Resolves to the run's error, or to undefined when the conversation is shorter now. */
  onOverflow?(error: RunError, mayShorten: boolean): Promise<RunError | undefined>;
  /** Called with a whole answer, and what is to be done with it. */
  afterAnswer?(answer: Answer, verdict: Verdict): Promise<Verdict>;
  /** Called before the actions of an answer. A decision holds for all of them. */
  beforeActions?(asked: AskedActions): Promise<Decision | undefined>;
  /** Called before each action. An outcome ends the run. */
  beforeAction?(action: Runnable): Outcome | undefined;
  /** Called in place of the executor. */
  execute?(action: Runnable, context: ExecutorContext): Promise<unknown>;
  /** Called by executors, before a call begins. Returns the result of a call that an earlier process has begun or ended. */
  settle?(call: { id: string; name?: string }, mayRepeat: boolean): Promise<ToolResult | undefined>;
  /** Called by executors around each call, as core's {@link CallHooks}. `isOpen`: the action has not ended. */
  beforeCall?(
    ...args: [...Parameters<NonNullable<CallHooks["beforeCall"]>>, isOpen: () => boolean]
  ): ReturnType<NonNullable<CallHooks["beforeCall"]>>;
  afterCall?(
    call: ToolCall,
    result: ToolResult,
    context: CallHookContext,
    isOpen: () => boolean,
  ): Promise<ToolResult | undefined>;
  /** Called before the host is asked. Returns a decision that was made earlier about the same request. */
  keptDecision?(request: ApprovalRequest): Decision | undefined;
  /** Called in place of the host. Returns undefined, not a promise, where it has no decision: a replay must not wait. */
  decide?(request: ApprovalRequest): Promise<Decision | undefined> | undefined;
  /** Called after each action that has run. Returns a note for the model. */
  afterAction?(action: Runnable, results: readonly ToolResult[]): string | undefined;
  /** Called when all actions of an answer have results. An outcome ends the run; a repair waits for the other parts. */
  afterActions?(results: readonly ToolResult[]): Promise<Outcome | Repair | undefined> | Outcome | Repair | undefined;
  /** Called when a step is over and another one follows. */
  afterStep?(): void;
  /** Called when something failed, and at the end. Returns what went wrong outside of the loop's reach: it is the end of the run. */
  fault?(): { error: unknown } | undefined;
}

/** A request's trace that neither throws nor does its work twice. */
export interface SafeRequestTrace extends Omit<RequestTrace, "within"> {
  within<Result>(work: () => Result): Result;
}
