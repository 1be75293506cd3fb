import { Counter, Histogram, type Registry } from "prom-client";
import type { RouterEvent } from "../events/types.ts";
import type { Router } from "../router/types.ts";
import { bounded } from "./bounded.ts";

/** Upper bounds in seconds, from calls that only read memory to calls that take as long as a call may. */
const buckets = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];

type Families = ReturnType<typeof registerFamilies>;

function registerFamilies(registry: Registry) {
  const registers = [registry];
  const counter = <Label extends string>(name: string, help: string, ...labelNames: Label[]): Counter<Label> =>
    new Counter({ name: `trp_${name}`, help, labelNames, registers });
  const histogram = <Label extends string>(name: string, help: string, ...labelNames: Label[]): Histogram<Label> =>
    new Histogram({ name: `trp_${name}`, help, labelNames, buckets, registers });
  return {
    frames: counter("frames_total", "Frames that were answered", "frame_type", "answer", "error_code"),
    frameTime: histogram("frame_duration_seconds", "From frame to answer", "frame_type"),
    accepted: counter("calls_accepted_total", "Calls of known capabilities that were admitted", "cap_id"),
    calls: counter("calls_total", "Calls by how they ended", "cap_id", "status", "error_code"),
    callTime: histogram("call_duration_seconds", "From admission to outcome", "cap_id", "status"),
    runTime: histogram("execution_duration_seconds", "Of the capability alone", "cap_id"),
    replayed: counter("calls_replayed_total", "Successful calls that repeated an earlier outcome", "cap_id"),
    denied: counter("policy_denied_total", "Calls that the policy denied", "cap_id", "rule", "error_code"),
    retries: counter("retries_suggested_total", "Answers that said to try again", "error_code"),
    adapters: counter("adapter_failures_total", "Adapters that failed before another went on", "cap_id", "adapter"),
    requested: counter("approvals_requested_total", "Requests for approval", "cap_id"),
    decided: counter("approvals_decided_total", "Decisions about requests for approval", "status"),
    resolved: counter("operations_resolved_total", "Operations in doubt that somebody settled", "state"),
    failures: counter("store_failures_total", "What the store could not do", "operation", "code"),
    refusals: counter("transport_refusals_total", "Frames refused before they came to a router", "error_code"),
    syncs: counter("catalog_syncs_total", "Catalogs that were given out"),
  };
}

/** Counts the events of routers (TRP v0.1 draft, 14.2), and frames that are refused before they reach a router. */
export class Counters {
  readonly #families: Families;
  readonly #capIds = bounded(1_000);
  readonly #rules = bounded(200);
  readonly #adapters = bounded(500);
  readonly #operations = bounded(200);
  readonly #codes = bounded(100);

  /** Registers the counters. Throws when the registry already has a metric of one of these names. */
  constructor(registry: Registry) {
    this.#families = registerFamilies(registry);
  }

  /** Counts an event. `router` knows which capabilities are registered. */
  note({ registry: known }: Pick<Router, "registry">, event: RouterEvent): void {
    const families = this.#families;
    switch (event.type) {
      case "frame.answered": {
        const { frame: frame_type = "unreadable", answer, code: error_code = "" } = event;
        families.frames.inc({ frame_type, answer, error_code });
        families.frameTime.observe({ frame_type }, event.ms / 1000);
        break;
      }
      case "call.accepted":
        families.accepted.inc({ cap_id: this.#cap(known, event.capId) });
        break;
      case "call.succeeded":
        this.#ended(known, event.capId, "success", "", event.ms);
        if (event.replayed) families.replayed.inc({ cap_id: this.#cap(known, event.capId) });
        break;
      case "call.failed":
        this.#ended(known, event.capId, event.dispatched ? "failed" : "refused", event.code, event.ms);
        break;
      case "call.in_doubt":
        this.#ended(known, event.capId, "unknown", "TRP_3004", event.ms);
        break;
      case "call.executed":
        families.runTime.observe({ cap_id: this.#cap(known, event.capId) }, event.executorMs / 1000);
        break;
      case "call.policy_denied":
        families.denied.inc({
          cap_id: this.#cap(known, event.capId),
          rule: this.#rules(event.rule),
          error_code: event.code,
        });
        break;
      case "call.retry_suggested":
        families.retries.inc({ error_code: event.code });
        break;
      case "call.adapter_failed":
        families.adapters.inc({ cap_id: this.#cap(known, event.capId), adapter: this.#adapters(event.adapter) });
        break;
      case "approval.requested":
        families.requested.inc({ cap_id: this.#cap(known, event.capId) });
        break;
      case "approval.decided":
        families.decided.inc({ status: event.status });
        break;
      case "operation.resolved":
        families.resolved.inc({ state: event.state });
        break;
      case "store.failed":
        families.failures.inc({ operation: this.#operations(event.operation), code: this.#codes(event.code) });
        break;
      case "catalog.synced":
        families.syncs.inc();
        break;
      default:
    }
  }

  /** Counts a frame or request that was refused before it came to a router. */
  refused(code: string): void {
    this.#families.refusals.inc({ error_code: this.#codes(code) });
  }

  /** Counts a failure of the store while the metrics queried it. */
  storeFailed(operation: string, code: string): void {
    this.#families.failures.inc({ operation, code: this.#codes(code) });
  }

  /** Returns the label of a capability. An agent can send any `cap_id`; only registered ones become labels. */
  #cap(known: Router["registry"], capId: string): string {
    return known.get(capId) === undefined ? "unknown" : this.#capIds(capId);
  }

  #ended(known: Router["registry"], capId: string, status: string, error_code: string, ms: number): void {
    const cap_id = this.#cap(known, capId);
    this.#families.calls.inc({ cap_id, status, error_code });
    this.#families.callTime.observe({ cap_id, status }, ms / 1000);
  }
}
