import type { ResponseOf } from "@toolglot/trp-core/frames";
import type { CatalogView } from "./catalog-view.ts";
import { clock, RetryBudget } from "./limits.ts";
import { Order } from "./order.ts";

/** An open session. */
export interface Session {
  readonly id: string;
  readonly features: readonly string[];
  /** Whether the router takes fields that the plain draft lacks: it granted a feature beyond the draft. */
  readonly isExtended: boolean;
  readonly retryBudget: number;
  readonly inFlight: readonly string[];
  readonly order: Order;
  readonly budget: RetryBudget;
  /** Calls without an outcome. */
  readonly waiting: { readonly callId: string }[];
  epoch: number;
  catalog: CatalogView | undefined;
  /**
   * The catalog that was read last. It is kept when it is out of date, because the next answer may hold only the
   * changes.
   */
  lastCatalog: CatalogView | undefined;
  syncing: Promise<CatalogView> | undefined;
  isLost: boolean;
}

/** The session is gone: open another, and send again. */
export class SessionLost extends Error {}

/** Frames at one time with SEQ_WINDOW (the router's window). */
const windowWidth = 64;

/** Returns the session that a router opens. `asked`: the features that it was asked for. */
export function newSession(
  payload: ResponseOf<"HELLO_RES">["payload"],
  asked: readonly string[],
  onReorder: (expectedSeq: number) => void,
): Session {
  const { session_id: id, catalog_epoch: epoch, retry_budget, seq_start, in_flight: inFlight = [] } = payload;
  const features: readonly string[] = Array.isArray(payload.features) ? payload.features : [];
  const retryBudget = typeof retry_budget === "number" && retry_budget >= 0 ? Math.min(retry_budget, 100) : 3;
  const width = features.includes("SEQ_WINDOW") ? windowWidth : 1;
  // A router that ignores the question may be of the plain draft: only one that grants a feature gets what the draft
  // doesn't have.
  const isExtended = asked.some((feature) => features.includes(feature));
  return {
    id,
    features,
    isExtended,
    retryBudget,
    inFlight,
    order: new Order(Math.max(1, seq_start), width, onReorder),
    budget: new RetryBudget(retryBudget, clock),
    waiting: [],
    epoch,
    catalog: undefined,
    lastCatalog: undefined,
    syncing: undefined,
    isLost: false,
  };
}

/** Checks whether a code is the router's for an unknown session; TRP_5002 is that of the Python implementation. */
export function isSessionCode(code: string): boolean {
  return code === "TRP_1008" || code === "TRP_5002";
}
