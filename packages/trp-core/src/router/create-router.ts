import { ToolglotError } from "@toolglot/core";
import { errorText } from "@toolglot/internal";
import { type Approvals, createApprovals } from "../approvals/approvals.ts";
import { checkArguments } from "../arguments/check.ts";
import { type FieldsOf, safeFields } from "../audit/logger.ts";
import type { CallDependencies } from "../calls/dependencies.ts";
import { recover } from "../calls/keyed/recover.ts";
import { CallPipeline } from "../calls/pipeline.ts";
import { Cancellations, stopOf } from "../calls/running/cancel.ts";
import { createExecutor, Places } from "../calls/running/executor.ts";
import { createOperations } from "../calls/running/resolve.ts";
import { Registry } from "../catalog/registry.ts";
import { catalogCapabilities } from "../catalog/tools.ts";
import type { CapabilityRegistry } from "../catalog/types.ts";
import { randomId } from "../digest/ids.ts";
import { createEmitter, type Emitter } from "../events/emitter.ts";
import type { Principal } from "../identity/types.ts";
import { defaultPolicy, deniesAlways, strictForNarrowed } from "../policy/decide.ts";
import type { PolicyEngine } from "../policy/types.ts";
import { artifactReadCapability } from "../results/artifact-capability.ts";
import { createResultShaper } from "../results/shaper.ts";
import { createSessions } from "../sessions/sessions.ts";
import { MemoryStore } from "../store/memory-store.ts";
import type { RouterStore } from "../store/types.ts";
import type { Spans } from "../tracing/spans.ts";
import { readAudit, readCheckpoints, verifyAudit } from "./audit-access.ts";
import { type Checkpoints, createCheckpoints } from "./checkpoints.ts";
import { FrameHandler } from "./handle.ts";
import { createLifecycle, InFlight, type Lifecycle } from "./lifecycle.ts";
import { observedStore } from "./observed-store.ts";
import { checkOptions, readLimits, readTimes } from "./options.ts";
import type { Router, RouterLimits, RouterOptions, RouterTimes } from "./types.ts";

/** With more capabilities than this, the catalog can be searched. */
const manyCapabilities = 40;

/**
 * Creates a router: capabilities in, frames answered. One per process and store is enough; routers on one store serve
 * the same sessions. Throws `TypeError` for invalid options, and for a malformed capability.
 *
 * Its timers (abandoned operations, pruning) don't keep a process alive; `close()` ends them.
 *
 * @example
 * ```ts
 * const router = createRouter({
 *   capabilities: [
 *     defineCapability({
 *       capId: "cap.time.read.v1",
 *       name: "read_time",
 *       description: "Returns the time.",
 *       riskTier: "LOW",
 *       ioClass: "READ",
 *       effect: "pure",
 *       args: {},
 *       execute: () => ({ now: new Date().toISOString() }),
 *     }),
 *   ],
 * });
 * const answer = await router.handle(frame, { principal: principal({ id: "agent" }) });
 * ```
 */
export function createRouter(options: RouterOptions = {}): Router {
  checkOptions(options);
  const parts = new RouterParts(options);
  const { store, registry, approvals, places, checkpoints, times } = parts;
  const lifecycle = parts.lifecycle();
  const frames = parts.frames(lifecycle);
  return {
    id: parts.id,
    store: parts.given,
    registry,
    policy: parts.policy,
    limits: parts.limits,
    handle: (frame, context) => frames.handle(frame, context),
    approvals: {
      list: approvals.list,
      read: approvals.read,
      whenChanged: approvals.whenChanged,
      approve: approvals.approve,
      deny: approvals.deny,
      render: approvals.render,
    },
    operations: createOperations(parts.calls),
    audit: {
      read: (range) => readAudit(store, range),
      verify: (given) => verifyAudit(store, times, given),
      checkpoint: checkpoints.write,
      checkpoints: (range) => readCheckpoints(store, range),
    },
    outbox: store.outbox,
    subscribe: parts.emitter.subscribe,
    load: () => ({ running: places.running, waiting: places.waiting }),
    recover: lifecycle.recover,
    ready: lifecycle.ready,
    close: lifecycle.close,
  };
}

/** The parts of a router, made from its options. */
class RouterParts {
  readonly #options: RouterOptions;
  readonly id: string;
  readonly limits: RouterLimits;
  readonly times: RouterTimes;
  readonly emitter: Emitter = createEmitter();
  /** The store as it was given. */
  readonly given: RouterStore;
  /** The same store; its faults are reported. */
  readonly store: RouterStore;
  readonly policy: PolicyEngine;
  readonly registry: CapabilityRegistry;
  readonly approvals: Approvals;
  readonly places: Places;
  readonly checkpoints: Checkpoints;
  readonly #auditFields: FieldsOf | undefined;
  readonly calls: CallDependencies;
  readonly #stop = new AbortController();
  /** The principal that the transport named, by the one that a frame has narrowed. */
  readonly #full = new WeakMap<Principal, Principal>();

  constructor(options: RouterOptions) {
    this.#options = options;
    this.id = options.routerId ?? randomId("router");
    this.limits = readLimits(options.limits);
    this.times = readTimes(options.times);
    this.given = options.store ?? new MemoryStore();
    this.store = observedStore(this.given, (error, operation) => this.#reportStoreFault(error, operation));
    this.policy = options.policy ?? defaultPolicy();
    if (this.policy.sharedRates === true && this.given.rates === undefined) {
      throw new TypeError(
        `createRouter: the policy has a rule with rate.shared, and the store (${this.given.name}) counts no rates: take one that does, as MemoryStore or a store of @toolglot/sqlite, or leave shared out`,
      );
    }
    const { store, emitter, times } = this;
    const { pendingApprovals: maxPending = 200, outbox = false, mayDecide } = options;
    const deciding = mayDecide === undefined ? {} : { mayDecide };
    const { approvalTtlMs, auditTtlMs } = times;
    this.#auditFields = options.auditFields && safeFields(options.auditFields);
    this.approvals = createApprovals({
      ...{ store, emit: emitter.emit, approvalTtlMs, maxPending, outbox, auditFields: this.#auditFields },
      ...deciding,
    });
    this.places = new Places(this.limits);
    this.checkpoints = createCheckpoints({
      store,
      options: options.checkpoints ?? {},
      auditTtlMs,
      onFault: (error) => this.#report(error, "audit.checkpoint"),
    });
    const policy = strictForNarrowed(this.policy, (narrowed) => this.#full.get(narrowed));
    this.registry = this.#ownRegistry(policy);
    this.calls = this.#callDependencies(policy);
  }

  frames(lifecycle: Lifecycle): FrameHandler {
    const { store, registry, calls, emitter, limits, times } = this;
    return new FrameHandler({
      store,
      sessions: createSessions({ store, registry, times }),
      registry,
      policy: calls.policy,
      pipeline: new CallPipeline(calls),
      emitter,
      inFlight: new InFlight(),
      cancellations: new Cancellations(),
      stop: stopOf(this.#stop.signal),
      limits,
      times,
      narrowed: (narrow, full) => this.#full.set(narrow, full),
      lifecycle,
      ...(calls.spans === undefined ? {} : { spans: calls.spans }),
      ...(calls.auditFields === undefined ? {} : { auditFields: calls.auditFields }),
    });
  }

  lifecycle(): Lifecycle {
    const { store, times, checkpoints, calls } = this;
    const { outboxTtlMs, auditTtlMs } = times;
    const { outboxRows } = this.limits;
    const { checkpoints: given } = this.#options;
    return createLifecycle({
      store,
      times,
      stop: this.#stop,
      recover: (signal) => recover(calls, { signal }),
      prune: async () => {
        if (Number.isFinite(auditTtlMs)) await checkpoints.attempt();
        await store.prune({ outboxTtlMs, outboxRows });
      },
      checkpoint: { everyMs: given === undefined ? 0 : (given.everyMs ?? 60_000), write: checkpoints.attempt },
    });
  }

  /** What results are made with. */
  get #shaping(): { maxResultTokens: number; countTokens?: (text: string) => number } {
    const { maxResultTokens = 2_000, countTokens } = this.#options;
    return { maxResultTokens, ...(countTokens === undefined ? {} : { countTokens }) };
  }

  #ownRegistry(policy: PolicyEngine): CapabilityRegistry {
    const { capabilities = [], strictEpoch = false, keylessReads = false, validator, catalogTools } = this.#options;
    const registry = new Registry({
      store: this.store,
      isDenied: (principal, registered) => deniesAlways(policy, principal, registered),
      capabilities,
      strictEpoch,
      keylessReads,
      ...(validator === undefined ? {} : { validator }),
    });
    registry.addBuiltIn(artifactReadCapability(this.store, this.#shaping));
    if (catalogTools === false) return registry;
    for (const capability of catalogCapabilities(registry)) {
      registry.addBuiltIn(capability, (others) => catalogTools === true || others > manyCapabilities);
    }
    return registry;
  }

  #callDependencies(policy: PolicyEngine): CallDependencies {
    const { store, registry, approvals, places, emitter, times } = this;
    const { onError, safety, downstreamSecret, repeats = "guarded", checkpoints, tracing } = this.#options;
    const { allowVolatile = false, approvalSecrets = [], outbox = false } = this.#options;
    const { maxResultTokens: maxTokens, ...counting } = this.#shaping;
    const spans = tracing?.spans as Spans | undefined;
    return {
      routerId: this.id,
      store,
      policy,
      registry,
      executor: createExecutor(onError === undefined ? {} : { onError }),
      shaper: createResultShaper({ store, maxTokens, artifactTtlMs: times.artifactTtlMs, ...counting }),
      approvals: spans === undefined ? approvals : tracedApprovals(approvals, spans),
      places,
      emitter,
      outbox,
      ended: checkpoints === undefined ? () => {} : this.checkpoints.wrote,
      checkArguments: (capability, args, who) => checkArguments(capability, args, who, safety),
      approvalSecrets,
      allowVolatile,
      repeats,
      times,
      ...(downstreamSecret === undefined ? {} : { downstreamSecret }),
      ...(spans === undefined ? {} : { spans }),
      ...(this.#auditFields === undefined ? {} : { auditFields: this.#auditFields }),
    };
  }

  #reportStoreFault(error: unknown, operation: string): void {
    this.#report(error, operation);
    const code = ToolglotError.isInstance(error) ? error.code : "trp/store-failed";
    this.emitter.emit({ type: "store.failed", at: Date.now(), operation, code, message: errorText(error) });
  }

  #report(error: unknown, operation: string): void {
    try {
      this.#options.onError?.(error, { operation });
    } catch {
      // A failing log of the host must not affect the router.
    }
  }
}

/** The same; the requests that calls make have spans. */
function tracedApprovals(approvals: Approvals, spans: Spans): Approvals {
  const request: Approvals["request"] = async (call, wanted) =>
    spans.approval(call, () => approvals.request(call, wanted));
  return { ...approvals, request };
}
