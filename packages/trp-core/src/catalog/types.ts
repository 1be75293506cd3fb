import type { JsonObject, JsonSchemaObject } from "@toolglot/core";
import type { InferInput, InputSource, MaybePromise } from "@toolglot/schema";
import type { Fault } from "../frames/fault.ts";
import type { AliasRow, IoClass, RiskTier } from "../frames/types.ts";
import type { Principal } from "../identity/types.ts";
import type { SessionRecord } from "../store/frame-types.ts";
import type { Circuit } from "./circuit.ts";

/**
 * What running a capability twice does:
 * - `pure`: it changes nothing.
 * - `idempotent`: twice is as once.
 * - `keyed`: it passes `context.operationKey` on, and the downstream does the same key once.
 * - `probe`: it can't be repeated, but `probe` can find out whether it happened.
 * - `opaque`: neither. After a crash its outcome is unknown, and a person has to settle it.
 */
export type Effect = "pure" | "idempotent" | "keyed" | "probe" | "opaque";

/**
 * What a call gets that asks for the same as another (same principal, capability family and arguments) of which nobody
 * knows what came of it: `guarded` that one's outcome, and nothing is started; `free` runs it, under a key of its own.
 */
export type Repeats = "guarded" | "free";

/** What a running capability gets besides its arguments. */
export interface ExecuteContext {
  /** Aborted when the time is up, the lease was lost, or the router closes. */
  signal: AbortSignal;
  callId: string;
  traceId: string;
  principal: Principal;
  /**
   * For downstream: the same for every attempt at one operation, different between operations. Absent without a key.
   */
  operationKey?: string;
  /** How often this operation was started, this time included. */
  attempt: number;
  /**
   * Of this claim: higher than that of every claim before it, in the whole store. A downstream that refuses lower
   * numbers than it has seen for a key can't be surprised by an attempt that was taken over. Absent without a key. In
   * `probe`: no lower than that of any attempt that is asked about, and lower than that of any attempt to come.
   */
  fence?: number;
  /**
   * Reports how far the call is, or what it has found so far: a message, or more than that. It becomes a partial result
   * with a number (`PARTIAL_RESULT`), kept with the operation of a call that has a key; without a key only a caller who
   * listens gets it. Of a message 2,000 characters are kept, of data 16 kB. Never throws. What an `execute` that yields
   * yields before its last value is reported in the same way.
   */
  progress(update: ProgressUpdate | string): void;
}

/** How far a call is. */
export interface ProgressUpdate {
  /** For people and models: `320 of 1,000 rows`. */
  message?: string;
  /** A word for programs: `download`. */
  stage?: string;
  /** JSON: rows that were found, a percentage. */
  data?: unknown;
}

/** What `probe` found out. `not-applied` promises that it never will be: the operation may run again. */
export type ProbeResult =
  | { state: "done"; value: unknown }
  | { state: "failed"; message: string }
  | { state: "not-applied" }
  | { state: "unknown" };

/** A named rule on arguments that a schema can't express: returns what is wrong, or nothing. */
export interface ArgumentRule<Args = JsonObject> {
  name: string;
  check(args: Args, principal: Principal): string | undefined;
}

/** The health of the tool behind an adapter: `degraded` comes after the others, `down` is not asked at all. */
export type AdapterHealth = "ok" | "degraded" | "down";

/** What a condition of an adapter is asked about: who calls, with which canonical arguments (after defaults). */
export interface AdapterCondition<Args = JsonObject> {
  args: Args;
  principal: Principal;
}

/** What is known of an adapter, whatever it takes. */
export interface AdapterFacts<Args = JsonObject> {
  /** Unique in its capability: 1 to 64 letters, digits, `_`, `-` and dots. Results, events and audit rows bear it. */
  name: string;
  /** Any number; the cheapest adapter that is well goes first, equal ones in the order of the list. Default 0. */
  cost?: number;
  /** Who and what it is for; asked anew for each call. Default: everybody and everything. What it throws is false. */
  when?(call: AdapterCondition<Args>): boolean;
  /**
   * How its tool is, as the host knows it: at once, without asking the tool. Default `ok`. What it throws is
   * `degraded`.
   */
  health?(): AdapterHealth;
  /**
   * For `effect: "keyed"`: the system that does each `operationKey` once. Only adapters that name the same one stand in
   * for each other when it is open whether the effect happened. Default: a system of its own.
   */
  system?: string;
  /** Part of the schema digest: raise it when `adapt` changes. Default `1`. */
  version?: string;
  /** After so many milliseconds the next one is tried. Default: the call's time, all of it. */
  maxTimeoutMs?: number;
  /** After so many failures in a row it is left out for `coolDownMs`; then one call tries it. Default 3. */
  maxFailures?: number;
  /** How long, in milliseconds, an adapter that failed comes after the others, or is left out. Default 30,000. */
  coolDownMs?: number;
}

/**
 * One of several tools behind a capability (TRP v0.1 draft, 10.1). Without `adapt` its `execute` gets the canonical
 * arguments. `execute`, `adapt` and `probe` are what they are in a {@link Capability}.
 */
export type Adapter<Args = JsonObject> = AdapterFacts<Args> &
  (
    | {
        adapt?: undefined;
        execute(args: Args, context: ExecuteContext): unknown;
        probe?(args: Args, context: ExecuteContext): MaybePromise<ProbeResult>;
      }
    | {
        adapt(args: Args): unknown;
        // biome-ignore-start lint/suspicious/noExplicitAny: what its own `adapt` makes, which a list can't infer.
        execute(native: any, context: ExecuteContext): unknown;
        probe?(native: any, context: ExecuteContext): MaybePromise<ProbeResult>;
        // biome-ignore-end lint/suspicious/noExplicitAny: -
      }
  );

/** Something a router can do for an agent. */
export interface Capability<Source extends InputSource = InputSource, Native = InferInput<Source>> {
  /** Stable name with version: `cap.mail.send.v2`. Without the version it is the family, which shares keys. */
  capId: string;
  /** What the model calls it: `send_email`. */
  name: string;
  /** The first sentence stands in the catalog. */
  description: string;
  riskTier: RiskTier;
  ioClass: IoClass;
  effect: Effect;
  /**
   * The canonical arguments: a Standard Schema or a JSON Schema of an object. Unknown arguments are refused, unless it is
   * `openInput`. An `InputSchema` that is `untrusted` stays so.
   */
  input?: Source;
  /** Whether arguments that the schema does not mention are taken as the schema says, and not refused. Default false. */
  openInput?: boolean;
  /** The same in the shorthand: `{ city: "string - City name" }`. A capability has either `input` or `args`. */
  args?: Source;
  /** Rules beyond the schema; the first fault of each is reported (TRP_2001). */
  rules?: ArgumentRule<InferInput<Source>>[];
  /** Canonical to native arguments: a pure function. Default: as they are. */
  adapt?(args: InferInput<Source>): Native;
  /** Part of the schema digest: raise it when `adapt` changes. Default `1`. */
  adapterVersion?: string;
  /**
   * Does it. A `ToolError` is a definite failure and its message reaches the model; `CapabilityError` is more exact. Any
   * other exception leaves open whether the effect happened. A capability has either `execute` or `adapters`.
   */
  execute?(args: Native, context: ExecuteContext): unknown;
  /**
   * Several tools for the same thing, in place of `execute`, `adapt`, `adapterVersion` and `probe`. Who goes first
   * follows from `health`, earlier failures, `cost` and `when`. After a failure the next one is tried if `effect`
   * allows it: `pure` and `idempotent` (which then holds for all adapters together) unless the failure is definite;
   * `keyed` in the same `system`; otherwise only after a failure that is proven to have had no effect (`not-applied`).
   */
  adapters?: readonly Adapter<InferInput<Source>>[];
  /**
   * Names the effect of a call by its canonical arguments (after defaults): `({ order }) => order`. Calls with the same
   * name are one operation, whichever run, model or session they come from, and need no key of the caller. A pure
   * function; text of at least one character. When it throws, or returns something else, the call is refused (TRP_5001).
   */
  effectKey?(args: InferInput<Source>): string;
  /** Whose calls with the same `effectKey` are one operation. Default `principal`: each one's own. */
  effectScope?: "principal" | "tenant";
  /**
   * For `effect: "probe"`: whether the operation with this `operationKey` happened. With `opaque` it is asked as well, for what is sometimes
   * known.
   */
  probe?(args: Native, context: ExecuteContext): MaybePromise<ProbeResult>;
  /**
   * What `data` of a result looks like: a JSON Schema. With it, a graph of calls that can't fit together is refused
   * before anything runs. Results are not checked against it. Default: anything.
   */
  output?: JsonSchemaObject;
  /** What the model gets of a result. Default: the value as `data`, with a summary made from it. */
  shape?(value: unknown): { summary: string; data: unknown; warnings?: string[] };
  /** Roles of which a principal needs one to see and use it. Default: everybody. */
  roles?: readonly string[];
  examples?: { args: JsonObject }[];
  /** Upper limit in milliseconds, whatever the call asks for. Default 60,000. */
  maxTimeoutMs?: number;
  /** How many may run at once in one router. Default: no limit of its own. */
  maxConcurrency?: number;
  /** Capabilities with the same name here share the places of `maxConcurrency`, as those of one server do. Default: its own. */
  concurrencyGroup?: string;
  /** What a call gets while the outcome of an equal call is unknown. Default: the router's `repeats`. */
  repeats?: Repeats;
}

/** A capability of any types. */
// biome-ignore lint/suspicious/noExplicitAny: arguments are contravariant; lists must take every capability.
export type AnyCapability = Capability<any, any>;

/** A registered capability, with what was made from its definition. */
export interface RegisteredCapability {
  readonly definition: AnyCapability;
  readonly capId: string;
  /** `cap_id` without its version. */
  readonly family: string;
  /** Canonical schema, an object schema that refuses unknown properties unless the definition is `openInput`. */
  readonly schema: JsonSchemaObject;
  readonly argTemplate: Readonly<Record<string, string>>;
  /** `sha256:` and hex. */
  readonly schemaDigest: string;
  /** WRITE, or MEDIUM risk and above (9.1), unless its arguments name the effect or the router lets it go without. */
  readonly keyRequired: boolean;
  /** What can run it, in order of their costs; one without a name when there is only `execute`. */
  readonly adapters: readonly RegisteredAdapter[];
  validate(args: unknown): MaybePromise<ArgumentCheck>;
  /** Whether `validate` gives the arguments to a library of the host, which may change them in place, and keep them. */
  readonly hasLibrary: boolean;
}

/** A tool behind a registered capability, and how it fared in this router. */
export interface RegisteredAdapter {
  /** Absent when the capability has only `execute`. */
  readonly name?: string;
  readonly cost: number;
  /** Where it was defined. */
  readonly definition: Pick<AnyCapability, "adapt" | "execute" | "probe"> & Partial<AdapterFacts>;
  readonly circuit: Circuit;
}

/**
 * The result of structural validation: the args after defaults, or what is wrong, as `items[2].price: expected number`.
 */
export type ArgumentCheck = { success: true; args: JsonObject } | { success: false; issues: string[] };

/** A catalog as a session has it now. */
export interface SyncedCatalog {
  epoch: number;
  rows: AliasRow[];
  delta?: { added: AliasRow[]; changed: AliasRow[]; removed: Pick<AliasRow, "idx" | "cap_id">[] };
}

/** What there is to call, and under which number. */
export interface CapabilityRegistry {
  /** Throws `TypeError` when a definition is malformed or the `capId` is taken. */
  register(...capabilities: AnyCapability[]): void;
  /** False when there is none. Its numbers stay taken in sessions that know it. */
  unregister(capId: string): boolean;
  get(capId: string): RegisteredCapability | undefined;
  /**
   * Returns what is in this principal's catalog, in order of registration: what is for their roles, less what policy always
   * denies.
   */
  visible(principal: Principal): RegisteredCapability[];
  epoch(): Promise<number>;
  /** The id of a first alias view for a new session. */
  openView(principal: Principal): Promise<string>;
  /**
   * Brings the session's view up to date: appends, marks what is gone. Returns the rows of what is there; and, in a
   * session with `CATALOG_DELTA`, what has changed since `knownEpoch`, when that is the epoch it was synced at last.
   */
  sync(session: SessionRecord, principal: Principal, knownEpoch?: number | null): Promise<SyncedCatalog>;
  /** The capability a call means, or why it is not known (TRP_1003, TRP_2007). A promise only when the store is asked. */
  resolve(
    session: SessionRecord,
    principal: Principal,
    call: { idx: number; cap_id: string; schema_digest?: string | null },
    catalogEpoch: number | null,
  ): MaybePromise<RegisteredCapability | Fault>;
}
