import type { JsonObject } from "@toolglot/core";
import type {
  AliasRow,
  CallUsage,
  Feature,
  PartialResultEvent,
  PolicyProof,
  RequestFrame,
  RetryHint,
  ShapedResult,
} from "@toolglot/trp-core/frames";
import type { ClientTracing, Transport } from "./transport-types.ts";

/** How failed attempts are repeated. Only what can't double an effect is repeated at all. */
export interface RetryOptions {
  /** Attempts after the first, per call. Default: the router's `retry_budget` at HELLO. */
  maxRetries?: number;
  /** The pause before attempt n + 1 is `baseMs · 2^(n-1)` and up to `baseMs` of jitter. Default 200. */
  baseMs?: number;
  /** Longest pause, unless the router asks for a longer one (`backoff_ms`). Default 10,000. */
  capMs?: number;
  /** How long it is tried to reach a router that can't be reached at all. Default 5,000. */
  connectMs?: number;
}

/** Options of `createClient`. */
export interface ClientOptions {
  /** Belongs to the client, which closes it. */
  transport: Transport;
  /** Name of the agent, for the router's logs. */
  agentId: string;
  /**
   * `auto` (default): a call that needs an idempotency key and has none gets a UUIDv7, the same for all its attempts.
   * While its outcome is unknown, the client's next calls of the same capability with the same arguments get that key
   * too. `explicit`: such a call is refused before it is sent (TRP v0.1 draft, 15.1); where the router's catalog shows
   * that it does without a key, it is sent without.
   */
  keys?: "auto" | "explicit";
  /** Features to ask for besides the plain ones. Default: all that this client can use. */
  features?: readonly Feature[];
  /** Goes with every frame. It can only narrow what the transport's identity may do. */
  authContext?: JsonObject;
  /** Resume this session if the router still has it. */
  resumeSessionId?: string;
  retry?: RetryOptions;
  /** Default of `timeoutMs`: how long the router lets a capability run. Default 15,000. */
  timeoutMs?: number;
  /** How long to wait for the answer of a frame that is not a call. Default 10,000. */
  requestTimeoutMs?: number;
  /** Called with what the client does by itself: new sessions, syncs, retries. What it throws is lost. */
  onEvent?: (event: ClientEvent) => void;
  /** Passes traces on: `traceClient()` of `@toolglot/trp-client/tracing`. Default none. */
  tracing?: ClientTracing;
}

/** What a client did by itself. */
export type ClientEvent =
  | { type: "session-opened"; sessionId: string; features: readonly string[]; resumed: boolean }
  /** `calls`: ids of those that had no outcome; they are sent again in a new session, with the same keys. */
  | { type: "session-lost"; sessionId: string; calls: readonly string[] }
  | { type: "catalog-synced"; epoch: number; capabilities: number }
  | { type: "reordered"; sessionId: string; expectedSeq: number }
  | {
      type: "retry";
      frame: RequestFrame["frame_type"];
      callId?: string;
      attempt: number;
      waitMs: number;
      reason: string;
    };

/** One call. */
export interface CallRequest {
  /** Number in the catalog. Default: that of `capId`. */
  idx?: number;
  /** Never changed by the client. */
  capId: string;
  /** In the capability's canonical names. JSON. */
  args?: JsonObject;
  /** Idempotency key: the same key is the same operation, however often it is sent. */
  key?: string | undefined;
  /** Unique in the session. Default random. */
  callId?: string | undefined;
  /** How long the capability may run, in milliseconds. Default: the client's. */
  timeoutMs?: number;
  /** A signed approval. */
  approvalToken?: string | undefined;
  /** Ids of calls that must have succeeded. */
  dependsOn?: readonly string[];
  /**
   * What the caller knows the capability by: when the router's catalog has another digest, the call is refused.
   * Default: the digest in the client's catalog.
   */
  schemaDigest?: string;
}

/** How long to try, and under which trace. */
export interface ClientCallOptions {
  /** For everything together: waiting, attempts, pauses. Milliseconds; default four times `timeoutMs`. */
  deadlineMs?: number;
  /** Stops waiting. What was started continues in the router. */
  signal?: AbortSignal;
  /** Default: the trace of `tracing`, or one id per client. */
  traceId?: string;
}

/** Options of `batch`. */
export interface BatchOptions extends ClientCallOptions {
  /** Default `PARALLEL`. */
  mode?: "PARALLEL" | "SEQUENTIAL";
  /** Default 8. */
  maxConcurrency?: number;
  /** After a failed item. Default `continue`. Only routers with features know `stop`. */
  onError?: "continue" | "stop";
  batchId?: string;
}

/** Options of `dag`. */
export type DagOptions = Pick<BatchOptions, keyof ClientCallOptions | "maxConcurrency" | "batchId">;

/** An error of the router, or one that the client made in its place. */
export interface CallError {
  /** As `TRP_4002`. */
  code: string;
  /** One of the nine classes of the TRP v0.1 draft (12.1). */
  errorClass: string;
  message: string;
  /** One line for the model: what to do now. May be empty. */
  fix: string;
  retryable: boolean;
  retryHint: RetryHint;
  /** Whether the capability was started. */
  dispatched: boolean;
}

/**
 * How a call ended.
 * - `success`: `result` is there.
 * - `refused`: nothing was executed, see `error` (TRP_4002 waits for an approval: `error.retryHint.approval_id`).
 * - `failed`: it was started, and failed.
 * - `unknown`: it was started and its outcome is unknown, or it was still running at the deadline.
 */
export interface CallResult {
  status: "success" | "refused" | "failed" | "unknown";
  callId: string;
  capId: string;
  /**
   * The key of its operation: send it again to repeat the same. The one it was sent with; when the outcome is unknown
   * of an equal call under another key, that one.
   */
  key?: string;
  /** With `success`. */
  result?: ShapedResult;
  /** Unless `success`. */
  error?: CallError;
  /** Whether the capability was started. */
  dispatched: boolean;
  /** How often the call was sent, repeated sends of one frame aside. */
  attempts: number;
  usage?: CallUsage;
  policyProof?: PolicyProof;
  /** The call id under which the effect happened, when this answer repeats that one's: nothing was done now. */
  replayedFrom?: string;
  /** When that call ended, milliseconds since the epoch by the router's clock. Of a router that sends it. */
  replayedAt?: number;
}

/** A call that was left to the router. */
export interface RunningCall extends Pick<CallResult, "callId" | "capId" | "key" | "attempts"> {
  status: "running";
}

/** How long to wait for a call that runs. */
export interface WaitOptions extends ClientCallOptions {
  /** Milliseconds. Default: as long as it takes. */
  deadlineMs?: number;
  /** Gets the partial results of the call, from its beginning. What it throws is lost. */
  onPart?: (part: PartialResultEvent) => void;
}

/** Which parts of a call to read. */
export interface PartsOptions extends ClientCallOptions {
  /** Milliseconds. Default: as long as it takes. */
  deadlineMs?: number;
  /** Only those after this number (`event_id`). Default 0: all that the router still has. */
  after?: number;
}

/**
 * What cancelling came to. `cancelled`: nothing was executed, and nothing will be. `cancelling`: it had started and was
 * asked to stop; its outcome shows the result. `success`, `failed`, `unknown`: it had ended so. `not-found`: no
 * such call is known in the session.
 */
export type CancelStatus = "cancelled" | "cancelling" | "success" | "failed" | "unknown" | "not-found";

/** How a batch ended; `refused`: nothing of it was executed, and every item has the reason. */
export interface BatchResult {
  batchId: string;
  status: "success" | "partial" | "failed" | "refused";
  /** In the order of the items. */
  results: CallResult[];
}

/** What the router knows of a call. */
export interface QueryResult {
  /** `lost`: it belonged to a session that the router no longer has; only its key leads to the outcome. */
  status: "not-found" | "lost" | "in-progress" | "settled";
  /** When it is settled. */
  result?: CallResult;
}

/** The catalog of a session. */
export interface Catalog {
  readonly epoch: number;
  readonly rows: readonly AliasRow[];
  /** The client syncs again after so many seconds. */
  readonly ttlSec: number;
}

/** Details of one capability. */
export interface CapabilityInfo {
  idx: number;
  capId: string;
  schema: Record<string, unknown>;
  /** Whether the policy would ask for one, going by the first example: arguments may change that. */
  requiresApproval: boolean;
  keyRequired: boolean;
  examples: readonly { args: JsonObject }[];
}

/** An open session. */
export interface SessionInfo {
  sessionId: string;
  catalogEpoch: number;
  features: readonly string[];
  retryBudget: number;
  /** Only after a resume: calls that run. */
  inFlight: readonly string[];
}

/** The agent's side of TRP. */
export interface TrpClient {
  /** Opens the session, or returns the one that is open. The other methods do it when needed. */
  hello(): Promise<SessionInfo>;
  /** Reads the whole catalog again. */
  syncCatalog(): Promise<Catalog>;
  /** The catalog, read when there is none or its time is over. */
  catalog(): Promise<Catalog>;
  /**
   * Calls a capability. Resolves for every answer of the router; rejects with `ToolglotError` `trp-client/…` when there
   * is none (`data.outcome`: `not-sent` or `unknown`), and `trp-client/key-required` before anything is sent.
   */
  call(request: CallRequest, options?: ClientCallOptions): Promise<CallResult>;
  /** Calls by id, whatever its number. */
  callByCap(
    capId: string,
    args?: JsonObject,
    options?: ClientCallOptions & Omit<CallRequest, "capId" | "args" | "idx">,
  ): Promise<CallResult>;
  /**
   * Starts a call and leaves it to the router, which runs it to its end, whatever becomes of this client or of that
   * router. Resolves as soon as it has started (`running`), or with its outcome when there is one already. Every such
   * call has a key: it gets one when it brings none.
   */
  callAsync(request: CallRequest, options?: ClientCallOptions): Promise<CallResult | RunningCall>;
  /**
   * The outcome of a call that runs; `unknown` with TRP_3003 when it still runs at the deadline. A call of this client
   * is followed into a new session when the old one is lost. Rejects with `trp-client/refused` for a call that is not
   * known.
   */
  waitResult(callId: string, options?: WaitOptions): Promise<CallResult>;
  /**
   * Yields the partial results of a call, past and future, each once and in order; returns its outcome as `waitResult`.
   */
  parts(callId: string, options?: PartsOptions): AsyncGenerator<PartialResultEvent, CallResult>;
  /** Stops a call, if it can still be stopped: see {@link CancelStatus}. Rejects when the router can't cancel. */
  cancel(callId: string): Promise<CancelStatus>;
  /** Several calls in one frame. */
  batch(items: readonly CallRequest[], options?: BatchOptions): Promise<BatchResult>;
  /**
   * Calls whose arguments take parts of each other's results: in `args`, `{ $from: callId, path: "/data/items/0/id" }`
   * stands for that place in the result of another call, which is known by its `callId`. Each runs when what it needs
   * is there; one whose needs failed is refused (TRP_1006). What can't work (a cycle, types that can't fit) is refused
   * as a whole.
   */
  dag(items: readonly CallRequest[], options?: DagOptions): Promise<BatchResult>;
  /** Schema, rules and examples of one capability. */
  capQuery(capId: string): Promise<CapabilityInfo>;
  /** What became of a call of this session. */
  result(callId: string): Promise<QueryResult>;
  /** Ends waiting calls with `trp-client/closed` and closes the transport. */
  close(): Promise<void>;
}
