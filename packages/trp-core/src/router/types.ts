import type { ValidatorFactory } from "@toolglot/schema";
import type { ApprovalRequests } from "../approvals/approvals.ts";
import type { SafetyRules } from "../arguments/safety.ts";
import type {
  AuditCheckpoint,
  AuditFields,
  AuditReport,
  AuditRow,
  AuditSubject,
  CheckpointSigner,
  VerifyOptions,
} from "../audit/types.ts";
import type { RecoveryReport } from "../calls/keyed/recover.ts";
import type { Operations } from "../calls/running/resolve.ts";
import type { AnyCapability, CapabilityRegistry, Repeats } from "../catalog/types.ts";
import type { RouterListener } from "../events/types.ts";
import type { ResponseFrame } from "../frames/types.ts";
import type { Principal } from "../identity/types.ts";
import type { PolicyEngine } from "../policy/types.ts";
import type { ApprovalRecord } from "../store/approval-types.ts";
import type { OutboxStore } from "../store/log-types.ts";
import type { RouterStore } from "../store/types.ts";
import type { RouterTracing, TraceHeaders } from "../tracing/spans.ts";

/** Options of `createRouter`. */
export interface RouterOptions {
  /** Default none; `router.registry.register` adds more. */
  capabilities?: AnyCapability[];
  /** Default: a `MemoryStore`, which allows only `pure` effects (see `allowVolatile`). */
  store?: RouterStore;
  /** Lets effects other than `pure` run on a store with durability `none`. Default false: such calls are refused. */
  allowVolatile?: boolean;
  /** What a call gets while the outcome of an equal call is unknown. Default `guarded`: the outcome of that call. */
  repeats?: Repeats;
  /** Default: `defaultPolicy()`. */
  policy?: PolicyEngine;
  /** Secrets of signed approval tokens (`appr1`); the first is the newest, all are accepted. Default: no tokens. */
  approvalSecrets?: readonly string[];
  /** Requests for approval of one principal that may wait for a decision; more are refused (TRP_4008). Default 200. */
  pendingApprovals?: number;
  /** Who may decide about a request. Default: role `approver`, same tenant. The requester never may. */
  mayDecide?: (who: Principal, approval: ApprovalRecord) => boolean;
  /**
   * Secret of the keys that are passed downstream. The same in all routers on one store. Default: none, only hashed.
   */
  downstreamSecret?: string;
  /** Name of this router in leases. Default random. */
  routerId?: string;
  limits?: Partial<RouterLimits>;
  times?: Partial<RouterTimes>;
  /** Any older `catalog_epoch` is a mismatch, as the draft's 7.2 reads. Default false. */
  strictEpoch?: boolean;
  /**
   * Lets READs of MEDIUM risk whose effect is `pure` go without an idempotency key, as the Python implementation does.
   * Default false: they are refused (TRP_4003), as the draft's 9.1 reads. HIGH and CRITICAL ones always need a key.
   */
  keylessReads?: boolean;
  /**
   * How many tokens a result may take; a token is counted as 4 UTF-8 bytes unless there is `countTokens`. Default
   * 2,000.
   */
  maxResultTokens?: number;
  /** Default: 4 UTF-8 bytes are a token. */
  countTokens?: (text: string) => number;
  /** Adds search and describe over the catalog as capabilities. Default: above 40 capabilities. */
  catalogTools?: boolean;
  /** What arguments may not contain, whatever their schema. Default: `createSafetyRules()`. */
  safety?: SafetyRules;
  /**
   * Gets what a capability threw, and what the store could not do, for the host's own log: the agent never sees it.
   * What it throws itself is lost.
   */
  onError?(error: unknown, facts: CallErrorFacts | StoreErrorFacts): void;
  /** Engine for argument schemas. Default: one without code generation. */
  validator?: ValidatorFactory;
  /**
   * Makes spans of frames, calls and runs: `traceRouter()` of `@toolglot/trp-core/tracing`. Default none, at no cost.
   */
  tracing?: RouterTracing;
  /**
   * Also writes the events about calls, approvals and resolutions to the store, for other processes (`router.outbox`).
   * Each event is committed together with the step that it reports. Default false.
   */
  outbox?: boolean;
  /**
   * Returns fields of the host's own for the rows of the audit log about a call, an approval or a resolution, as the name of
   * what it was called by: no arguments and no secrets. Rows keep their own fields. What it throws is lost. Default: none.
   */
  auditFields?(subject: AuditSubject): AuditFields | undefined;
  /** Makes the router write checkpoints of the audit log. Default: it writes none, unless `times.auditTtlMs` is set. */
  checkpoints?: CheckpointOptions;
}

/** Options of the checkpoints of the audit log. The router also writes a checkpoint when it closes. */
export interface CheckpointOptions {
  /** Signs the checkpoints. Default: none. Unsigned checkpoints only record which old rows may be dropped. */
  signer?: CheckpointSigner;
  /** Writes a checkpoint after about this many audit rows of this router. Default 1,000. */
  everyRows?: number;
  /** Also writes one after this time, when there are new rows. Milliseconds. Default 60,000. */
  everyMs?: number;
  /**
   * Called with each checkpoint after it was written, so that you can keep a copy where nobody who can write the store
   * has access. An error goes to `onError`.
   */
  onCheckpoint?(checkpoint: AuditCheckpoint): void | Promise<void>;
  /**
   * Returns the index of the newest row that is kept elsewhere, such as in an export; 0 for none. Rows after it stay in the
   * log, whatever `times.auditTtlMs` says. Called before each checkpoint. An error goes to `onError`, and nothing
   * more may go. Default: the age alone decides.
   */
  exportedUpTo?(): number | Promise<number>;
}

/** Which call's capability threw. */
export interface CallErrorFacts {
  capId: string;
  callId: string;
  traceId: string;
  operation?: undefined;
}

/** Which method of the store failed, as `operations.start`. Nothing of the call: it may be for none. */
export interface StoreErrorFacts {
  operation: string;
  capId?: undefined;
  callId?: undefined;
  traceId?: undefined;
}

/** What a router takes at most. Whole numbers from 1; `callsWaiting` may be 0. */
export interface RouterLimits {
  /** Bytes of a frame, as JSON. Default 4 MiB. */
  frameBytes: number;
  /** Nesting of a frame. Default 64. */
  depth: number;
  /** Calls in one batch. Default 64. */
  batchCalls: number;
  /** Calls that run at once in this router; more wait for a place. Default 256. */
  callsInFlight: number;
  /** Calls that wait for a place; more are refused (TRP_5003). Default 1,024. */
  callsWaiting: number;
  /**
   * The most events in the outbox that not every consumer has acknowledged; older ones are dropped. Default 1,000,000.
   */
  outboxRows: number;
}

/** Milliseconds. */
export interface RouterTimes {
  /** Default 24 h. */
  sessionTtlMs: number;
  /** From the final state on. Default 24 h. */
  keyTtlMs: number;
  /** How long after that a key is still known, and refused (TRP_4005). Default 30 days. */
  keyMemoryMs: number;
  /** Default 15 min. */
  approvalTtlMs: number;
  /** Default 24 h. */
  artifactTtlMs: number;
  /** How long a claim holds without being renewed. Default 10 s. */
  leaseMs: number;
  /** How often abandoned operations are looked for; 0: only in `recover()`. Default the lease. */
  recoverEveryMs: number;
  /** How often the store drops what is past its time; 0: never by itself. Default 10 min. */
  pruneEveryMs: number;
  /** What a frame waits for the ones before it, with `SEQ_WINDOW`. Default 250. */
  seqWaitMs: number;
  /** `ttl_sec` of a catalog, times 1,000. Default 10 min. */
  catalogTtlMs: number;
  /** How long an event waits in the outbox for consumers that have not acknowledged it. Default 7 days. */
  outboxTtlMs: number;
  /** The age at which audit rows are dropped, up to a checkpoint. At least `keyTtlMs`. Default Infinity: never. */
  auditTtlMs: number;
}

/** Who sent a frame. */
export interface FrameContext {
  principal: Principal;
  /** Aborted when the sender is gone. Calls that were started continue: their outcome is recorded. */
  signal?: AbortSignal;
  /**
   * Gets the partial results of a `CALL_REQ` while its answer is on the way; and of a `RESULT_QUERY_REQ` with
   * `after_event_id`, which is then not answered before the call has its outcome, or half a minute has passed; an `ACK`
   * `ACCEPTED` comes before them. What it throws is lost.
   */
  onPartial?: ((frame: ResponseFrame) => void) | undefined;
  /** The trace that the frame belongs to, for `tracing`. Default: that of its `trace_id`. */
  trace?: TraceHeaders | undefined;
}

/** A router: one per process and store is enough. */
export interface Router {
  /** Its name in leases. */
  readonly id: string;
  readonly store: RouterStore;
  /** Capabilities can come and go while it serves. */
  readonly registry: CapabilityRegistry;
  readonly policy: PolicyEngine;
  /** With their defaults. */
  readonly limits: Readonly<RouterLimits>;
  /**
   * Answers one frame. Total: whatever comes in, one frame goes out, and nothing is thrown. The frame must be JSON: it
   * is taken by reference and not changed.
   */
  handle(frame: unknown, context: FrameContext): Promise<ResponseFrame>;
  readonly approvals: ApprovalRequests;
  readonly operations: Operations;
  readonly audit: {
    read(range?: { after?: number; limit?: number }): Promise<AuditRow[]>;
    /**
     * Reads the whole log and checks every hash, a head that was noted elsewhere, and that each operation has its rows.
     */
    verify(options?: VerifyOptions): Promise<AuditReport>;
    /** Writes a checkpoint now. Undefined when the log has no rows, or none since the newest one. */
    checkpoint(): Promise<AuditCheckpoint | undefined>;
    /** In order of `index`, from `after` on (exclusive; default all). */
    checkpoints(range?: { after?: number; limit?: number }): Promise<AuditCheckpoint[]>;
  };
  /**
   * Events for other processes, delivered at least once and in order. It has events when a router on the store has the
   * option `outbox`. It is the store's `outbox`, so a reader needs no router.
   */
  readonly outbox: OutboxStore;
  /** Returns what ends the subscription. */
  subscribe(listener: RouterListener): () => void;
  /** Calls that run in this router, and calls that wait for a place. */
  load(): { running: number; waiting: number };
  /** Takes over what crashed routers left: runs again what may, asks what can be asked, marks the rest in doubt. */
  recover(): Promise<RecoveryReport>;
  /** Why the router can't serve, or nothing: then a write was committed to the store, just now or within a second. */
  ready(): Promise<string | undefined>;
  /**
   * Refuses new frames (TRP_5003) and waits for those that run, at most `graceMs` (default 10 s); what is not done then
   * keeps its lease and is found by `recover()`. Does not close the store.
   */
  close(options?: { graceMs?: number }): Promise<void>;
}
