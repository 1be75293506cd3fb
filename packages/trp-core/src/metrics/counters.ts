import { Counter, Histogram, type Registry } from "prom-client";
import type { RouterEvent } from "../events/types.ts";
import type { Router } from "../router/types.ts";
import { bounded } from "./bounded.ts";

/** Upper bounds in seconds, from calls that only read memory to calls that take as long as a call may. */
const buckets = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];

/** Counts the events of routers (TRP v0.1 draft, 14.2), and frames that are refused before they reach a router. */
export interface Counters {
  /** Counts an event. `router` knows which capabilities are registered. */
  note(router: Pick<Router, "registry">, event: RouterEvent): void;
  /** A frame or request was refused before it came to a router. */
  refused(code: string): void;
  /** The store failed when the metrics queried it. */
  storeFailed(operation: string, code: string): void;
}

/** Registers the counters. Throws when the registry already has a metric of one of these names. */
export function createCounters(registry: Registry): Counters {
  const registers = [registry];
  const counter = <Label extends string>(name: string, help: string, ...labelNames: Label[]): Counter<Label> =>
    new Counter({ name: `trp_${name}`, help, labelNames, registers });
  const histogram = <Label extends string>(name: string, help: string, ...labelNames: Label[]): Histogram<Label> =>
    new Histogram({ name: `trp_${name}`, help, labelNames, buckets, registers });

  const frames = counter("frames_total", "Frames that were answered", "frame_type", "answer", "error_code");
  const frameTime = histogram("frame_duration_seconds", "From frame to answer", "frame_type");
  const accepted = counter("calls_accepted_total", "Calls of known capabilities that were admitted", "cap_id");
  const calls = counter("calls_total", "Calls by how they ended", "cap_id", "status", "error_code");
  const callTime = histogram("call_duration_seconds", "From admission to outcome", "cap_id", "status");
  const runTime = histogram("execution_duration_seconds", "Of the capability alone", "cap_id");
  const replayed = counter("calls_replayed_total", "Successful calls that repeated an earlier outcome", "cap_id");
  const denied = counter("policy_denied_total", "Calls that the policy denied", "cap_id", "rule", "error_code");
  const retries = counter("retries_suggested_total", "Answers that said to try again", "error_code");
  const adapters = counter(
    "adapter_failures_total",
    "Adapters that failed before another went on",
    "cap_id",
    "adapter",
  );
  const requested = counter("approvals_requested_total", "Requests for approval", "cap_id");
  const decided = counter("approvals_decided_total", "Decisions about requests for approval", "status");
  const resolved = counter("operations_resolved_total", "Operations in doubt that somebody settled", "state");
  const failures = counter("store_failures_total", "What the store could not do", "operation", "code");
  const refusals = counter("transport_refusals_total", "Frames refused before they came to a router", "error_code");
  const syncs = counter("catalog_syncs_total", "Catalogs that were given out");

  const capIds = bounded(1_000);
  const rules = bounded(200);
  const adapterNames = bounded(500);
  const operations = bounded(200);
  const codes = bounded(100);

  return {
    note({ registry: known }, event) {
      // An agent can send any `cap_id`. Only registered ones become labels.
      const cap = (capId: string): string => (known.get(capId) === undefined ? "unknown" : capIds(capId));
      const ended = (capId: string, status: string, error_code: string, ms: number): void => {
        const cap_id = cap(capId);
        calls.inc({ cap_id, status, error_code });
        callTime.observe({ cap_id, status }, ms / 1000);
      };
      switch (event.type) {
        case "frame.answered": {
          const { frame: frame_type = "unreadable", answer, code: error_code = "" } = event;
          frames.inc({ frame_type, answer, error_code });
          frameTime.observe({ frame_type }, event.ms / 1000);
          break;
        }
        case "call.accepted":
          accepted.inc({ cap_id: cap(event.capId) });
          break;
        case "call.succeeded":
          ended(event.capId, "success", "", event.ms);
          if (event.replayed) replayed.inc({ cap_id: cap(event.capId) });
          break;
        case "call.failed":
          ended(event.capId, event.dispatched ? "failed" : "refused", event.code, event.ms);
          break;
        case "call.in_doubt":
          ended(event.capId, "unknown", "TRP_3004", event.ms);
          break;
        case "call.executed":
          runTime.observe({ cap_id: cap(event.capId) }, event.executorMs / 1000);
          break;
        case "call.policy_denied":
          denied.inc({ cap_id: cap(event.capId), rule: rules(event.rule), error_code: event.code });
          break;
        case "call.retry_suggested":
          retries.inc({ error_code: event.code });
          break;
        case "call.adapter_failed":
          adapters.inc({ cap_id: cap(event.capId), adapter: adapterNames(event.adapter) });
          break;
        case "approval.requested":
          requested.inc({ cap_id: cap(event.capId) });
          break;
        case "approval.decided":
          decided.inc({ status: event.status });
          break;
        case "operation.resolved":
          resolved.inc({ state: event.state });
          break;
        case "store.failed":
          failures.inc({ operation: operations(event.operation), code: codes(event.code) });
          break;
        case "catalog.synced":
          syncs.inc();
          break;
        default:
      }
    },
    refused: (code) => refusals.inc({ error_code: codes(code) }),
    storeFailed: (operation, code) => failures.inc({ operation, code: codes(code) }),
  };
}
