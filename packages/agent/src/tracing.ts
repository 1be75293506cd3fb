import type {
  FinishReason,
  Message,
  ModelInfo,
  ModelRequest,
  ToolCall,
  ToolDefinition,
  ToolResult,
  Usage,
} from "@toolglot/core";
import type { RunError, RunResult } from "./result.ts";

/**
 * Hears of runs, and of what they ask models, for traces and metrics: `otelTracing()` of `@toolglot/agent/otel` is one. What it throws
 * never touches a run, and nothing that a run does depends on it.
 */
export interface AgentTracing {
  /** A run begins. Called where `run()` was called. */
  startRun(run: TracedRun): RunTrace;
}

/** What is known of a run when it begins. */
export interface TracedRun {
  runId: string;
  /** What it starts from. */
  messages: readonly Message[];
  model?: ModelInfo;
  maxTokens?: number;
  stop?: readonly string[];
  /** `traceparent` of the run that it goes on with. */
  resumedFrom?: string;
}

/** A run under way. */
export interface RunTrace {
  /** Names it in other traces (W3C Trace Context). */
  readonly traceparent?: string;
  /** Calls `work` at once, so that what it begins belongs to the run. */
  within(work: () => void): void;
  startRequest(request: TracedRequest): RequestTrace;
  /** A call of a tool has ended, as its event says. `isKnown`: there is such a tool; models invent any number of names. */
  toolCall(call: {
    name: string;
    isKnown: boolean;
    status: ToolResult["status"];
    ms: number;
    errorType?: string;
  }): void;
  end(result: RunResult): void;
}

/** A request to a model; what fails before its first part and is tried again is one request. */
export interface TracedRequest {
  stepIndex: number;
  request: ModelRequest;
  tools: readonly ToolDefinition[];
  model?: ModelInfo;
}

/** A request under way. */
export interface RequestTrace {
  /** Calls `work` at once, so that what it begins belongs to the request. */
  within(work: () => void): void;
  /** The first part of the answer came. */
  firstPart(): void;
  end(answer: TracedAnswer): void;
}

/** What came of a request. */
export interface TracedAnswer {
  text: string;
  reasoning: string;
  calls: readonly ToolCall[];
  finish?: FinishReason;
  usage?: Usage;
  /** Why it failed; `aborted` for a run that was stopped. */
  error?: Pick<RunError, "code">;
}
