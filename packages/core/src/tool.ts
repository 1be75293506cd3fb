import type { Decision, ExecutorContext, Question, QuestionAnswer } from "./action.ts";
import type { Usage } from "./model.ts";
import type { ToolDefinition } from "./tool-definition.ts";

/** What a running tool gets besides its input. */
export interface ToolContext {
  /** Aborted when the call is cancelled or out of time. */
  signal: AbortSignal;
  callId: string;
  /** The run that the call belongs to. Not there outside a run. */
  runId?: string;
  /** Waits for a person: see `ExecutorContext`. The time counts to no limit. Not there where nobody measures the time. */
  wait?: ExecutorContext["wait"];
  /** For a tool that makes calls of other tools, as one that runs programs: the host's hooks around each of them. */
  hooked?: Pick<ExecutorContext, "hooks" | "runId" | "stepIndex">;
  /** Passes a server's question on to the host. The time counts to no limit. Not there where nobody can be asked. */
  ask?(question: Question): Promise<QuestionAnswer>;
  /**
   * Reports the models' tokens and cost that the tool used, as a tool with an agent behind it does: they count to the sums and limits
   * of the run. Several reports add up. The result has the sum as `metadata.usage`. Not there where nobody counts.
   */
  report?(used: { usage?: Usage | undefined; cost?: number | undefined }): void;
  /** The host's answer, when the tool has asked for it: see `data.needs` of `ToolError`. */
  decision?: Decision;
  /** Adds a note, for whoever reads the outcome, that is not part of the value. Not there where the value is all that is read. */
  note?(text: string): void;
}

/** A tool that can run. May return a value, a promise, or an async iterable of chunks. */
export interface Tool<Input = never> extends ToolDefinition {
  /**
   * `true`: `execute` holds its input against the schema by itself, and reports what is wrong. Who runs the tool then gives it what the
   * model or the program wrote; else it is checked before.
   */
  readonly validatesInput?: boolean;
  execute(input: Input, context: ToolContext): unknown;
}

/** A tool whose input type does not matter to the holder. */
// biome-ignore lint/suspicious/noExplicitAny: input is contravariant; lists of tools must take every Tool<Input>.
export type AnyTool = Tool<any>;
