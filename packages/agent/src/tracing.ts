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
 * Receives runs, and their requests to models, for traces and metrics: `otelTracing()` of `@toolglot/agent/otel` is one. Its errors
 * never affect a run, and nothing that a run does depends on it.
 */
export interface AgentTracing {
  /** A run begins. Called where `run()` was called. */
  startRun(run: TracedRun): RunTrace;
}

/** A run that begins. */
export interface TracedRun {
  runId: string;
  /** Messages of its start. */
  messages: readonly Message[];
  model?: ModelInfo;
  maxTokens?: number;
  stop?: readonly string[];
  /** `traceparent` of the run that it continues. */
  resumedFrom?: string;
}

/** A run under way. */
export interface RunTrace {
  /** Names it in other traces (W3C Trace Context). */
  readonly traceparent?: string;
  /** Calls `work` at once, so that what it begins belongs to the run. */
  within(work: () => void): void;
  startRequest(request: TracedRequest): RequestTrace;
  /** Called when a call of a tool has ended, as its event. `isKnown`: there is such a tool; models invent any number of names. */
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

/** Answer to a request. */
export interface TracedAnswer {
  text: string;
  reasoning: string;
  calls: readonly ToolCall[];
  finish?: FinishReason;
  usage?: Usage;
  /** Why it failed; `aborted` for a run that was stopped. */
  error?: Pick<RunError, "code">;
}
