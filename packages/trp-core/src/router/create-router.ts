import { ToolglotError } from "@toolglot/core";
import { errorText } from "@toolglot/internal";
import { createApprovals } from "../approvals/approvals.ts";
import { checkArguments } from "../arguments/check.ts";
import type { CallDependencies } from "../calls/dependencies.ts";
import { recover } from "../calls/keyed/recover.ts";
import { createCallPipeline } from "../calls/pipeline.ts";
import { createCancellations } from "../calls/running/cancel.ts";
import { createExecutor, createPlaces } from "../calls/running/executor.ts";
import { createOperations } from "../calls/running/resolve.ts";
import { createRegistry } from "../catalog/registry.ts";
import { catalogCapabilities } from "../catalog/tools.ts";
import type { AnyCapability, CapabilityRegistry } from "../catalog/types.ts";
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
import { createCheckpoints } from "./checkpoints.ts";
import { createHandle } from "./handle.ts";
import { createInFlight, createLifecycle } from "./lifecycle.ts";
import { observedStore } from "./observed-store.ts";
import { checkOptions, readLimits, readTimes } from "./options.ts";
import type { Router, RouterOptions } from "./types.ts";

/** With more capabilities than this, the catalog can be searched. */
const manyCapabilities = 40;

/**
 * A router: capabilities in, frames answered. One per process and store is enough; routers on one store serve the same
 * sessions. `TypeError` for options that can't be, or a malformed capability.
 *
 * Its timers (abandoned operations, pruning) don't keep a process alive; `close()` ends them.
 */
export function createRouter(options: RouterOptions = {}): Router {
  checkOptions(options);
  const { allowVolatile = false, approvalSecrets = [], outbox = false } = options;
  const limits = readLimits(options.limits);
  const times = readTimes(options.times);
  const emitter = createEmitter();
  const given = options.store ?? new MemoryStore();
  const store = observedStore(given, (error, operation) =>
    reportStoreFault(emitter, options.onError, error, operation),
  );
  const policy = options.policy ?? defaultPolicy();
  const id = options.routerId ?? randomId("router");
  const { maxResultTokens = 2_000, countTokens } = options;
  const counting = countTokens === undefined ? {} : { countTokens };
  const shaping = { maxTokens: maxResultTokens, artifactTtlMs: times.artifactTtlMs, ...counting };
  const shaper = createResultShaper({ store, ...shaping });
  const fullOf = new WeakMap<Principal, Principal>();
  const strictPolicy = strictForNarrowed(policy, (narrowed) => fullOf.get(narrowed));
  const artifacts = artifactReadCapability(store, { maxResultTokens, ...counting });
  const registry = ownRegistry(options, artifacts, store, strictPolicy);
  const stop = new AbortController();
  const spans = options.tracing?.spans as Spans | undefined;
  const approvals = createApprovals({
    store,
    emit: emitter.emit,
    approvalTtlMs: times.approvalTtlMs,
    mostPending: options.pendingApprovals ?? 200,
    outbox,
    ...(options.mayDecide === undefined ? {} : { mayDecide: options.mayDecide }),
  });
  const places = createPlaces(limits);
  const { auditTtlMs, outboxTtlMs } = times;
  const checkpoints = createCheckpoints({
    store,
    options: options.checkpoints ?? {},
    auditTtlMs,
    onFault: (error) => tellHost(options.onError, error, "audit.checkpoint"),
  });
  const dependencies: CallDependencies = {
    routerId: id,
    store,
    policy: strictPolicy,
    registry,
    executor: createExecutor(options.onError === undefined ? {} : { onError: options.onError }),
    shaper,
    approvals,
    places,
    emitter,
    outbox,
    ended: options.checkpoints === undefined ? () => {} : checkpoints.wrote,
    checkArguments: (capability, args, who) => checkArguments(capability, args, who, options.safety),
    approvalSecrets,
    allowVolatile,
    repeats: options.repeats ?? "guarded",
    times,
    ...(options.downstreamSecret === undefined ? {} : { downstreamSecret: options.downstreamSecret }),
    ...(spans === undefined ? {} : { spans }),
  };
  const lifecycle = createLifecycle({
    store,
    times,
    stop,
    recover: (signal) => recover(dependencies, { signal }),
    prune: async () => {
      if (Number.isFinite(auditTtlMs)) await checkpoints.attempt();
      await store.prune({ outboxTtlMs, outboxRows: limits.outboxRows });
    },
    checkpoint: {
      everyMs: options.checkpoints === undefined ? 0 : (options.checkpoints.everyMs ?? 60_000),
      write: checkpoints.attempt,
    },
  });
  const handle = createHandle({
    store,
    sessions: createSessions({ store, registry, times }),
    registry,
    policy: dependencies.policy,
    pipeline: createCallPipeline(dependencies),
    emitter,
    inFlight: createInFlight(),
    cancellations: createCancellations(),
    stop: stop.signal,
    limits,
    times,
    narrowed: (narrow, full) => fullOf.set(narrow, full),
    lifecycle,
    ...(spans === undefined ? {} : { spans }),
  });

  return {
    id,
    store: given,
    registry,
    policy,
    limits,
    handle,
    approvals: {
      list: approvals.list,
      read: approvals.read,
      approve: approvals.approve,
      deny: approvals.deny,
      render: approvals.render,
    },
    operations: createOperations({ store, registry, shaper, emitter, outbox }),
    audit: {
      read: (range) => readAudit(store, range),
      verify: (options) => verifyAudit(store, times, options),
      checkpoint: checkpoints.write,
      checkpoints: (range) => readCheckpoints(store, range),
    },
    outbox: store.outbox,
    subscribe: emitter.subscribe,
    load: () => ({ running: places.running, waiting: places.waiting }),
    recover: lifecycle.recover,
    ready: lifecycle.ready,
    close: lifecycle.close,
  };
}

function reportStoreFault(
  emitter: Emitter,
  onError: RouterOptions["onError"],
  error: unknown,
  operation: string,
): void {
  tellHost(onError, error, operation);
  const code = ToolglotError.isInstance(error) ? error.code : "trp/store-failed";
  const message = errorText(error);
  emitter.emit({ type: "store.failed", at: Date.now(), operation, code, message });
}

function tellHost(onError: RouterOptions["onError"], error: unknown, operation: string): void {
  try {
    onError?.(error, { operation });
  } catch {
    // The host's log is its own affair.
  }
}

function ownRegistry(
  options: RouterOptions,
  artifacts: AnyCapability,
  store: RouterStore,
  policy: PolicyEngine,
): CapabilityRegistry {
  const registry = createRegistry({
    store,
    isDenied: (principal, registered) => deniesAlways(policy, principal, registered),
    capabilities: options.capabilities ?? [],
    strictEpoch: options.strictEpoch ?? false,
    keylessReads: options.keylessReads ?? false,
    ...(options.validator === undefined ? {} : { validator: options.validator }),
  });
  registry.addBuiltIn(artifacts);
  const { catalogTools } = options;
  if (catalogTools === false) return registry;
  for (const capability of catalogCapabilities(registry)) {
    registry.addBuiltIn(capability, (others) => catalogTools === true || others > manyCapabilities);
  }
  return registry;
}
