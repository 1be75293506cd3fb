import type { JsonValue } from "@toolglot/core";
import type { Storage } from "@toolglot/core/storage";

/** A piece of work of a run that another engine carries out and keeps the value of. Plain JSON. */
export interface AgentStep {
  /**
   * Unique in the run, and the same whenever the run is played again: `model:3`, `compact:3`, `call:3:create_ticket` with the number of the
   * step in the run, `approval:<callId>`. A second one of the same name ends in `:2`.
   */
  name: string;
  /** `model`: a request to a model. `call`: a call, a plan or a program. `wait`: a question to the host. */
  kind: "model" | "call" | "wait";
  /** Everything that {@link performStep} needs. */
  input: JsonValue;
}

/** The steps of a durable engine, for {@link AgentOptions.steps}. */
export interface StepEngine {
  /**
   * Carries a step out, keeps its value, and resolves to it; when the workflow is played again, to the value that was kept. `work` does what
   * the step is, by {@link performStep}; an engine whose steps are registered functions calls that one there.
   */
  run(step: AgentStep, work: () => Promise<JsonValue>): Promise<JsonValue>;
  /**
   * Waits for an event of the engine: the decision about a call, as `approve` returns it; the result of a call that is made elsewhere, as
   * `{ approved: false, result }`. Undefined, when it did not come in time, is a denial. `timeoutMs`: absent, as long as it takes.
   */
  wait?(name: string, options: { timeoutMs?: number; signal: AbortSignal }): Promise<JsonValue | undefined>;
}

/** How the calls of {@link AgentOptions.steps} happen once. */
export interface StepsOnce {
  /** Where it is written down what was begun, and how it ended: its `operations` must survive the process. */
  storage: Pick<Storage, "operations">;
  /** Whose calls these are: `tenant`. The operations' scope is this and the tool's name: `tenant/refund`. */
  scope: string;
  /**
   * What running a tool twice would do, by its name; of programs, by their language. `pure`: it is not written down. Default: what its
   * annotations say, else `opaque`.
   */
  effects?: Readonly<Record<string, "opaque" | "idempotent" | "pure">>;
  /** Milliseconds after which an attempt of a dead process is given up. Default 60,000. */
  leaseMs?: number;
}
