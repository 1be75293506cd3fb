import type { JsonObject } from "@toolglot/core";
import type { MaybePromise } from "@toolglot/schema";
import type { Approvals } from "../approvals/approvals.ts";
import type { CheckedArguments } from "../arguments/check.ts";
import type { FieldsOf } from "../audit/logger.ts";
import type { CapabilityRegistry, RegisteredCapability, Repeats } from "../catalog/types.ts";
import type { Emitter } from "../events/emitter.ts";
import type { Fault } from "../frames/fault.ts";
import type { PartialResultEvent } from "../frames/results.ts";
import type { Principal } from "../identity/types.ts";
import type { PolicyEngine } from "../policy/types.ts";
import type { ResultShaper } from "../results/shaper.ts";
import type { RouterStore } from "../store/types.ts";
import type { Spans } from "../tracing/spans.ts";
import type { CapabilityExecutor, Places } from "./running/executor.ts";
import type { CallFrame } from "./types.ts";

/** Points at which a test can make a call stop, crash or hang. */
export type Failpoint =
  | "after-admit"
  | "before-start"
  | "after-start"
  | "after-effect"
  | "before-finish"
  | "after-finish";

/** What the path of a call is made of. */
export interface CallDependencies {
  /** Names this router in leases. */
  routerId: string;
  store: RouterStore;
  policy: PolicyEngine;
  /** For recovery, which knows capabilities by name only. */
  registry: Pick<CapabilityRegistry, "get">;
  executor: CapabilityExecutor;
  shaper: ResultShaper;
  approvals: Approvals;
  places: Pick<Places, "take">;
  emitter: Pick<Emitter, "emit" | "active">;
  /** Whether events are also written to the store's outbox, for other processes. */
  outbox?: boolean;
  /** Called at the end of a call with the number of audit rows that it has written. */
  ended?(rows: number): void;
  /** Schema, the capability's own rules, safety rules: the args after defaults, or what is wrong. */
  checkArguments(
    capability: RegisteredCapability,
    args: JsonObject,
    principal: Principal,
  ): MaybePromise<CheckedArguments | Fault>;
  /** Of signed approval tokens; none: no tokens are taken. */
  approvalSecrets: readonly string[];
  /** Of the keys that are passed downstream. */
  downstreamSecret?: string;
  /** Lets effects other than `pure` run on a store with durability `none`. */
  allowVolatile: boolean;
  /** Default for capabilities. */
  repeats: Repeats;
  /** Milliseconds, as in `RouterTimes`. */
  times: { leaseMs: number; keyTtlMs: number; keyMemoryMs: number };
  /** The host's own fields of audit rows. Absent: none. */
  auditFields?: FieldsOf;
  /** Makes spans. Absent without the option `tracing`. */
  spans?: Spans;
  /** For tests only: called at each point of a call; what it throws is handled as a fault of the router's own code. */
  failpoint?(name: Failpoint, callId: string): void | Promise<void>;
}

/** Options of `CallPipeline.run`. */
export interface RunOptions {
  /** When the operation runs elsewhere: wait for its outcome until the call's time is up. Default false. */
  waitForBusy?: boolean;
  /**
   * The frame that asks for this call alone. Given, the pipeline builds its reply and commits it: with the outcome of
   * the operation in one transaction, or by itself when there was none.
   */
  frame?: CallFrame;
  /**
   * Called when the start of the call's own operation is committed. From then on it runs, even if no caller waits for
   * it.
   */
  onStarted?: () => void;
  /** Gets the partial results of the call as they come. */
  onParts?: ((events: PartialResultEvent[]) => void) | undefined;
}
