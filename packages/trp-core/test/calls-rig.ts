import type { JsonObject } from "@toolglot/core";
import { type Approvals, createApprovals } from "../src/approvals/approvals.ts";
import { checkArguments } from "../src/arguments/check.ts";
import type { AuditEntry } from "../src/audit/types.ts";
import type { CallDependencies, RunOptions } from "../src/calls/dependencies.ts";
import { callDigest } from "../src/calls/keyed/keys.ts";
import { type RecoveryReport, recover } from "../src/calls/keyed/recover.ts";
import { CallPipeline } from "../src/calls/pipeline.ts";
import { stopOf } from "../src/calls/running/cancel.ts";
import { createExecutor, Places } from "../src/calls/running/executor.ts";
import { createOperations } from "../src/calls/running/resolve.ts";
import type { IncomingCall, Settled } from "../src/calls/types.ts";
import { registerCapability } from "../src/catalog/register.ts";
import type { AnyCapability, RegisteredCapability } from "../src/catalog/types.ts";
import { createEmitter } from "../src/events/emitter.ts";
import type { RouterEvent } from "../src/events/types.ts";
import type { CallItem } from "../src/frames/types.ts";
import { principal } from "../src/identity/principal.ts";
import type { Principal } from "../src/identity/types.ts";
import { defaultPolicy } from "../src/policy/decide.ts";
import type { Router } from "../src/router/types.ts";
import { MemoryStore } from "../src/store/memory-store.ts";
import type { RouterStore } from "../src/store/types.ts";

/** The path of a call with everything around it but frames and sessions. */
export interface Rig {
  store: RouterStore;
  dependencies: CallDependencies;
  pipeline: CallPipeline;
  approvals: Approvals;
  operations: Router["operations"];
  events: RouterEvent[];
  run(item: ItemInput, options?: RunOptions & CallInput): Promise<Settled>;
  call(item: ItemInput, input?: CallInput): IncomingCall;
  recover(): Promise<RecoveryReport>;
  audit(): Promise<AuditEntry[]>;
}

export interface CallInput {
  who?: Principal;
  sessionId?: string;
  frameId?: string;
  signal?: AbortSignal;
}

export type ItemInput = Partial<CallItem> & Pick<CallItem, "cap_id">;

export interface RigOptions {
  store?: RouterStore;
  capabilities: AnyCapability[];
  overrides?: Partial<CallDependencies>;
  approvalTtlMs?: number;
}

export const alice = principal({ id: "alice" });
export const bob = principal({ id: "bob", roles: ["approver"] });

let counter = 0;

/** One router's worth of parts. Several on one store are several routers. */
export function rig({
  store = new MemoryStore(),
  capabilities,
  overrides = {},
  approvalTtlMs = 900_000,
}: RigOptions): Rig {
  const registered = new Map<string, RegisteredCapability>(
    capabilities.map((capability) => [capability.capId, registerCapability(capability)]),
  );
  const emitter = createEmitter();
  const events: RouterEvent[] = [];
  emitter.subscribe((event) => events.push(event));
  const approvals = createApprovals({ store, emit: (event) => emitter.emit(event), approvalTtlMs });
  const shaper: CallDependencies["shaper"] = {
    shape: async (_capability, value) => ({
      summary: "Done.",
      data: (value ?? null) as JsonObject,
      artifacts: [],
      warnings: [],
    }),
  };
  const dependencies: CallDependencies = {
    routerId: `router-${++counter}`,
    store,
    policy: defaultPolicy(),
    registry: { get: (capId) => registered.get(capId) },
    executor: createExecutor(),
    shaper,
    approvals,
    places: new Places({ callsInFlight: 256, callsWaiting: 1_024 }),
    emitter,
    checkArguments,
    approvalSecrets: [],
    allowVolatile: true,
    repeats: "guarded",
    times: { leaseMs: 10_000, keyTtlMs: 86_400_000, keyMemoryMs: 30 * 86_400_000 },
    ...overrides,
  };
  const pipeline = new CallPipeline(dependencies);
  const never = new AbortController().signal;
  const call = (item: ItemInput, input: CallInput = {}): IncomingCall => {
    const capability = registered.get(item.cap_id);
    if (capability === undefined) throw new TypeError(`the rig has no ${item.cap_id}`);
    const { who = alice, sessionId = "sess_1", frameId = `frm_${++counter}`, signal = never } = input;
    const whole = { call_id: `call_${++counter}`, idx: 0, timeout_ms: 5_000, args: {}, ...item };
    return {
      item: whole,
      digest: callDigest(whole),
      session: {
        id: sessionId,
        tenant: who.tenant,
        principal: who.id,
        agentId: "agent",
        features: [],
        view: "",
        expectedSeq: 2,
        createdAt: 0,
        expiresAt: Number.MAX_SAFE_INTEGER,
      },
      principal: who,
      traceId: "trc_1",
      frameId,
      seq: 1,
      catalogEpoch: 1,
      capability,
      stop: stopOf(signal),
    };
  };
  return {
    store,
    dependencies,
    pipeline,
    approvals,
    operations: createOperations({ store, registry: dependencies.registry, shaper, emitter }),
    events,
    call,
    run: async (item, options = {}) => (await pipeline.run(call(item, options), options)).settled,
    recover: () => recover(dependencies, { signal: never }),
    audit: async () => (await store.audit.read()).map((row) => row.entry),
  };
}

/** The outcome rows of the audit log, as `SUCCESS` or `REFUSED TRP_4003`. */
export async function outcomes(of: Rig): Promise<string[]> {
  const rows = (await of.audit()).filter((entry) => entry.kind === "outcome");
  return rows.map(({ result_status, error_code }) =>
    error_code === null ? result_status : `${result_status} ${error_code}`,
  );
}

/** What a test waits for. */
export function gate(): { open: () => void; passed: Promise<void> } {
  let open = (): void => {};
  const passed = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { open, passed };
}
