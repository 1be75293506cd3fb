import { type JsonObject, ToolError } from "@toolglot/core";
import { copyJson, ignoreRejection, isThenable } from "@toolglot/internal";
import type { Effect, RegisteredAdapter, RegisteredCapability } from "../../catalog/types.ts";
import { type Fault, fault, isFault } from "../../frames/fault.ts";
import type { Principal } from "../../identity/types.ts";
import { messageOf } from "../faults.ts";
import type { Execution } from "../types.ts";

/** An adapter that was started for an operation before, and whether that may have had an effect. */
export interface EarlierAttempt {
  /** Absent for a capability that has only `execute`. */
  adapter?: string;
  system?: string;
  outcome: "not-applied" | "failed" | "unknown";
}

/** The adapter that is to run, and what it gets. */
export interface Chosen {
  adapter: RegisteredAdapter;
  native: unknown;
}

/** No adapter may continue the operation, now or later. */
export const noAdapter = "no-adapter";

/** What a route is for. */
export interface RouteCall {
  capability: RegisteredCapability;
  principal: Principal;
  /** Canonical, after defaults. */
  args: JsonObject;
  /** The strictest that holds for the operation. */
  effect: Effect;
  /** What earlier starts of the operation did. */
  earlier?: readonly EarlierAttempt[];
}

const none: readonly EarlierAttempt[] = [];

/**
 * The way of one call through the adapters of its capability (TRP v0.1 draft, 10.1): which one is next, given their health,
 * costs and conditions, and what those that ran before may have done. Each is taken at most once. {@link close} it.
 */
export class Route {
  readonly #call: RouteCall;
  /** Whether the capability has but one tool, so that nothing is to be chosen or named. */
  readonly isSingle: boolean;
  #asked: RegisteredAdapter[] = [];
  #adapted: Map<RegisteredAdapter, Chosen | Fault> | undefined;
  #only: Chosen | Fault | undefined;
  #failed: readonly EarlierAttempt[];
  #current: RegisteredAdapter | undefined;
  #end: ReturnType<RegisteredAdapter["circuit"]["begin"]> | undefined;
  /** What `adapt` took, in milliseconds. */
  adapterMs = 0;

  constructor(call: RouteCall) {
    this.#call = call;
    this.#failed = call.earlier ?? none;
    this.isSingle = call.capability.definition.adapters === undefined;
  }

  /** What has failed before the one that runs now, each thing once. */
  get failed(): readonly EarlierAttempt[] {
    return this.#failed;
  }

  /** The adapter that ran last, and those that failed before it, by name: for usage, events and audit rows. */
  get names(): { adapter?: string; failed_adapters?: string[] } | undefined {
    const adapter = this.#current?.name;
    if (adapter === undefined) return undefined;
    const names = this.#failed.flatMap((each) => (each.adapter === undefined ? [] : [each.adapter]));
    const others = [...new Set(names)].filter((name) => name !== adapter);
    return { adapter, ...(others.length > 0 && { failed_adapters: others }) };
  }

  /** Whether something that ran before the last one may have had an effect. */
  get isOpenBefore(): boolean {
    const last = this.#current?.name;
    return this.#failed.some(({ adapter, outcome }) => outcome !== "not-applied" && adapter !== last);
  }

  /** The strictest that holds for the operation. */
  get effect(): Effect {
    return this.#call.effect;
  }

  /** The adapter of this name, for what only it can answer. */
  named(name: string | undefined): Chosen | Fault | undefined {
    const adapter = this.#call.capability.adapters.find((each) => each.name === name);
    return adapter && this.#adapt(adapter);
  }

  /** Returns the next one, without taking it; a fault when none can run now, `noAdapter` when none may. */
  find(now: number): Chosen | Fault | typeof noAdapter {
    const { capability } = this.#call;
    if (this.isSingle) {
      const only = capability.adapters[0] as RegisteredAdapter;
      return this.#mayFollow(only) ? this.#adapt(only) : noAdapter;
    }
    const allowed = capability.adapters.filter((each) => !this.#asked.includes(each) && this.#mayFollow(each));
    if (allowed.length === 0) return noAdapter;
    const meant = allowed.filter((each) => this.#isFor(each));
    if (meant.length === 0) {
      return fault("TRP_4001", `no adapter of ${capability.capId} is for this caller and these arguments`);
    }
    const ready = inOrder(meant, now);
    if (ready.length === 0) return noneReady(capability, meant, now);
    let first: Fault | undefined;
    for (const each of ready) {
      const adapted = this.#adapt(each);
      if (!isFault(adapted)) return adapted;
      first ??= adapted;
    }
    return first as Fault;
  }

  /** Takes the next one, which is about to run. Call {@link ended} after it. */
  take(now: number): Chosen | Fault | typeof noAdapter {
    const found = this.find(now);
    if (found !== noAdapter && !isFault(found)) this.#begin(found.adapter, now);
    return found;
  }

  /** Takes this one, whatever its health: it was started before. */
  keep({ adapter }: Chosen, now: number): void {
    this.#begin(adapter, now);
  }

  /** Nothing that ran before has had an effect, nor will it: everybody may be asked again. */
  cleared(): void {
    this.close();
    this.#asked = [];
    this.#failed = this.#failed.map((before) => ({ ...before, outcome: "not-applied" }));
  }

  /** How the one that was taken ended. `isStopped`: it was not let finish, so that its health is open. */
  ended(execution: Execution, now: number, isStopped: boolean): void {
    const { kind } = execution;
    const isBad = kind === "unknown" || kind === "not-applied" || (kind === "failed" && execution.transient);
    this.#end?.(isStopped ? "cancelled" : isBad ? "badly" : "well", now);
    this.#end = undefined;
    if (kind !== "done") this.#note(kind);
  }

  /** Lets go of what was taken and never ran. */
  close(): void {
    this.#end?.("cancelled", 0);
    this.#end = undefined;
  }

  #begin(adapter: RegisteredAdapter, now: number): void {
    this.#current = adapter;
    if (this.isSingle) return;
    this.close();
    this.#asked.push(adapter);
    this.#end = adapter.circuit.begin(now);
  }

  #note(outcome: EarlierAttempt["outcome"]): void {
    if (this.#current === undefined) return;
    this.#failed = withAttempt(this.#failed, attemptOf(this.#current, outcome));
  }

  /** Checks whether what ran before lets this one run, by the effect of the capability. */
  #mayFollow({ name, definition: { system } }: RegisteredAdapter): boolean {
    const { effect } = this.#call;
    if (effect === "pure" || effect === "idempotent") return true;
    return this.#failed.every((before) => {
      if (before.outcome === "not-applied") return true;
      if (effect !== "keyed") return false;
      return before.adapter === name || (system !== undefined && before.system === system);
    });
  }

  #isFor({ definition }: RegisteredAdapter): boolean {
    const { args, principal } = this.#call;
    try {
      return definition.when === undefined || definition.when({ args: copyJson(args), principal }) === true;
    } catch {
      return false;
    }
  }

  #adapt(adapter: RegisteredAdapter): Chosen | Fault {
    const known = this.isSingle ? this.#only : this.#adapted?.get(adapter);
    if (known !== undefined) return known;
    const before = adapter.definition.adapt && performance.now();
    const adapted = adaptArguments(this.#call.capability, this.#call.args, adapter);
    // Without code of its own it is a copy, which takes no time.
    if (before !== undefined) this.adapterMs += performance.now() - before;
    const made = isFault(adapted) ? adapted : { adapter, native: adapted.native };
    if (this.isSingle) this.#only = made;
    else this.#adapted = (this.#adapted ?? new Map()).set(adapter, made);
    return made;
  }
}

/** Returns how long an adapter may run, of what a call has left since it `began`. Milliseconds, at least 1. */
export function timeLeft({ adapter }: Chosen, timeoutMs: number, began: number): number {
  const left = Math.max(1, timeoutMs - (performance.now() - began));
  return Math.min(left, adapter.definition.maxTimeoutMs ?? left);
}

/** Takes the adapter that continues after one that ended so. Undefined when that was the end. */
export function nextOf(
  route: Route,
  execution: Execution,
  { now, leftMs }: { now: number; leftMs: number },
): Chosen | undefined {
  const repeats = route.effect === "pure" || route.effect === "idempotent";
  const isOver = execution.kind === "done" || (execution.kind === "failed" && !(execution.transient && repeats));
  if (isOver || leftMs <= 0) return undefined;
  const next = route.take(now);
  return next === noAdapter || isFault(next) ? undefined : next;
}

/** Returns an attempt by an adapter. */
export function attemptOf(
  { name, definition: { system } }: Pick<RegisteredAdapter, "name" | "definition">,
  outcome: EarlierAttempt["outcome"],
): EarlierAttempt {
  return { ...(name !== undefined && { adapter: name }), ...(system !== undefined && { system }), outcome };
}

/** With one more attempt; the same thing is listed once, however often it happened. */
export function withAttempt(list: readonly EarlierAttempt[], one: EarlierAttempt): EarlierAttempt[] {
  const isKnown = list.some(({ adapter, outcome }) => adapter === one.adapter && outcome === one.outcome);
  return isKnown ? [...list] : [...list, one];
}

/** Returns those that may be asked now: the well ones first, each group in order of costs. */
function inOrder(adapters: readonly RegisteredAdapter[], now: number): RegisteredAdapter[] {
  const well: RegisteredAdapter[] = [];
  const later: RegisteredAdapter[] = [];
  for (const each of adapters) {
    const health = healthOf(each);
    const standing = each.circuit.standing(now);
    if (health === "down" || standing === "open") continue;
    (health === "ok" && standing !== "later" ? well : later).push(each);
  }
  return [...well, ...later];
}

function healthOf({ definition }: RegisteredAdapter): "ok" | "degraded" | "down" {
  try {
    const health = definition.health?.() ?? "ok";
    return health === "ok" || health === "down" ? health : "degraded";
  } catch {
    return "degraded";
  }
}

const minWaitMs = 200;
/** Until a tool may be well again of which only the host knows. */
const unknownWaitMs = 1_000;

function noneReady({ capId }: RegisteredCapability, adapters: readonly RegisteredAdapter[], now: number): Fault {
  const open = adapters.filter(({ circuit }) => circuit.standing(now) === "open");
  const waits = open.map(({ circuit }) => circuit.opensAt - now);
  const backoff_ms = waits.length === 0 ? unknownWaitMs : Math.max(minWaitMs, Math.min(...waits));
  return fault("TRP_5003", `none of the tools behind ${capId} can be asked at the moment; nothing was executed`, {
    retryHint: { backoff_ms },
  });
}

/**
 * Turns canonical arguments into what a capability's own code takes (TRP v0.1 draft, 10.1). An adapter gets a copy, so it
 * can't change what was checked, approved and written down. It is a pure function: a `ToolError` of it is a refusal of the
 * arguments, its message for the model (TRP_2001); any other exception, and a promise, is a fault of the capability
 * (TRP_5001) of which nothing gets out. Nothing was executed in either case. Never throws.
 */
export function adaptArguments(
  { capId, adapters }: RegisteredCapability,
  args: JsonObject,
  { definition }: Pick<RegisteredAdapter, "definition"> = adapters[0] as RegisteredAdapter,
): { native: unknown } | Fault {
  const own = copyJson(args);
  if (definition.adapt === undefined) return { native: own };
  try {
    const native: unknown = definition.adapt(own);
    if (!isThenable(native)) return { native };
    ignoreRejection(native);
  } catch (error) {
    const message = toolErrorMessage(error);
    if (message !== undefined) return fault("TRP_2001", message, { retryHint: { action: "FIX_ARGUMENTS" } });
  }
  return fault("TRP_5001", `the arguments of ${capId} could not be adapted`);
}

function toolErrorMessage(error: unknown): string | undefined {
  try {
    return ToolError.isInstance(error) ? messageOf(error) : undefined;
  } catch {
    return undefined;
  }
}
