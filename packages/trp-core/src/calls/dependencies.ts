import type { JsonObject, OperationKey } from "@toolglot/core";
import type { MaybePromise } from "@toolglot/schema";
import type { Approvals } from "../approvals/approvals.ts";
import type { RegisteredCapability, Repeats } from "../capability/types.ts";
import type { Fault } from "../errors/types.ts";
import type { Emitter } from "../events/emitter.ts";
import type { Places } from "../execution/places.ts";
import type { Principal } from "../identity/types.ts";
import type { AdapterLayer, AuditLogger, CapabilityExecutor, CapabilityRegistry, ResultShaper } from "../parts.ts";
import type { PolicyEngine } from "../policy/types.ts";
import type { RouterTimes } from "../router/types.ts";
import type { Answer, RouterStore } from "../store/types.ts";
import type { IncomingCall, Settled } from "./types.ts";

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
  adapters: AdapterLayer;
  executor: CapabilityExecutor;
  shaper: ResultShaper;
  audit: AuditLogger;
  approvals: Approvals;
  places: Pick<Places, "take">;
  emitter: Pick<Emitter, "emit" | "active">;
  /** Schema, the capability's own rules, safety rules: the args after defaults, or what is wrong. */
  checkArguments(
    capability: RegisteredCapability,
    args: JsonObject,
    principal: Principal,
  ): MaybePromise<{ args: JsonObject } | Fault>;
  /** Of signed approval tokens; none: no tokens are taken. */
  approvalSecrets: readonly string[];
  /** Of the keys that are passed downstream. */
  downstreamSecret?: string;
  /** Lets effects other than `pure` run on a store with durability `none`. */
  allowVolatile: boolean;
  /** For capabilities that don't say it themselves. */
  repeats: Repeats;
  times: Pick<RouterTimes, "leaseMs" | "keyTtlMs" | "keyMemoryMs">;
  /** For tests only: called at each point of a call; what it throws is handled as a fault of the router's own code. */
  failpoint?(name: Failpoint, callId: string): void | Promise<void>;
}

/** Options of `CallPipeline.run`. */
export interface RunOptions {
  /** When the operation runs elsewhere: wait for its outcome until the call's time is up. Default false. */
  waitForBusy?: boolean;
  /**
   * Makes the frame's answer of how the call ended. Given, the pipeline commits it: with the end of the operation in one
   * transaction, or by itself when there was none. Undefined: nothing is recorded (an ACK is no final answer). It must be
   * pure: it may be called again with another end, when the first could not be committed; what `run` returns holds.
   */
  answer?(settled: Settled): Answer | undefined;
}

/** The path of one call, from its arguments to its outcome. */
export interface CallPipeline {
  /**
   * Brings one call to its end. Never rejects. Writes one audit row about the outcome, and tells the events of the TRP
   * v0.1 draft (14.2). SUCCESS is only ever returned after it was committed.
   */
  run(call: IncomingCall, options?: RunOptions): Promise<Settled>;
  /**
   * How an operation stands, without running anything; undefined when there is none. One whose router is gone and that
   * must not run again is put in doubt on the way. Rejects when the store does.
   */
  look(key: OperationKey): Promise<Settled | undefined>;
}
