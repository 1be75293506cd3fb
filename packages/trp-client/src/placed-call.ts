import { checkKeys, uuidV7 } from "@toolglot/internal";
import type { AliasRow, CallItem } from "@toolglot/trp-core/frames";
import { type CatalogView, isUnchanged, keyRequired, needsKey } from "./catalog-view.ts";
import { clientError } from "./errors.ts";
import { needsApproval, type OpenKeys } from "./open-keys.ts";
import { type CallFacts, refusedLocally } from "./outcome.ts";
import type { Session } from "./session.ts";
import type { Progress } from "./transmit.ts";
import type { CallRequest, CallResult } from "./types.ts";

/** How calls are made, the same for all of a client. */
export interface CallRules {
  keys: "auto" | "explicit";
  timeoutMs: number;
  /** Keys of the client's calls that are not over: a call without a key of its own resumes one of these. */
  open: OpenKeys;
}

/** A call with its id, its row of the catalog and its key: all that stays the same over its attempts. */
export class PlacedCall implements CallFacts {
  readonly request: CallRequest;
  readonly callId: string;
  readonly capId: string;
  key: string | undefined;
  /** The catalog row that the call is for. */
  row: AliasRow | undefined;
  attempts = 0;
  /** ASYNC: it is left to the router once it has started. */
  readonly mode: "SYNC" | "ASYNC";
  readonly #rules: CallRules;
  /** Once the catalog changed, numbers come from it. */
  #idx: number | undefined;

  constructor(newId: (prefix: string) => string, rules: CallRules, request: CallRequest, mode: "SYNC" | "ASYNC") {
    checkRequest(request);
    this.mode = mode;
    this.request = request;
    this.callId = request.callId ?? newId("call");
    this.capId = request.capId;
    this.key = request.key;
    this.#idx = request.idx;
    this.#rules = rules;
  }

  /** As they are now. */
  get facts(): CallFacts {
    const { callId, capId, key, attempts, row } = this;
    return { callId, capId, key, attempts, row };
  }

  get timeoutMs(): number {
    return this.request.timeoutMs ?? this.#rules.timeoutMs;
  }

  /** Whether the frame may be sent again when its answer was lost. */
  get repeats(): boolean {
    return this.key !== undefined || (this.row !== undefined && !keyRequired(this.row));
  }

  /** Finds the capability in the catalog; the refusal when it isn't there or is another now. Throws `key-required`. */
  place(catalog: CatalogView): CallResult | undefined {
    const { capId, schemaDigest } = this.request;
    const row = catalog.get(capId);
    if (row === undefined) {
      return this.#mismatch(`There is no capability ${capId} in the catalog.`, "Choose one that is in the catalog.");
    }
    const isSame =
      (schemaDigest === undefined || schemaDigest === row.schema_digest) &&
      (this.row === undefined || isUnchanged(this.row, row));
    if (!isSame) {
      const message = `The capability ${capId} has changed since its description was read.`;
      return this.#mismatch(message, "Read its description again, then decide again.");
    }
    if (this.row !== undefined && this.row !== row) this.#idx = row.idx;
    this.row = row;
    // A call that is left to the router needs a key to be found again, should the session get lost.
    if (this.key === undefined && (needsKey(row) || this.mode === "ASYNC")) {
      const isExplicit = this.#rules.keys === "explicit";
      if (isExplicit && keyRequired(row)) {
        throw clientError("trp-client/key-required", `${capId} changes something: give the call an idempotency key.`, {
          data: { callId: this.callId, capId },
        });
      }
      // Where the router does without, it is the caller's choice.
      if (isExplicit && this.mode === "SYNC") return undefined;
      this.key = this.#rules.open.find(capId, this.request.args ?? {}) ?? uuidV7();
    }
    return undefined;
  }

  #mismatch(message: string, fix: string): CallResult {
    const error = { code: "TRP_1003", errorClass: "CATALOG_MISMATCH", message, fix };
    return refusedLocally(error, this.facts);
  }

  /** Returns the call as a frame holds it. */
  item(session: Session): CallItem {
    const { capId, args = {}, approvalToken, dependsOn = [] } = this.request;
    const item: CallItem = {
      call_id: this.callId,
      idempotency_key: this.key ?? null,
      idx: this.#idx ?? this.row?.idx ?? 0,
      cap_id: capId,
      depends_on: [...dependsOn],
      attempt: Math.max(1, this.attempts),
      timeout_ms: this.timeoutMs,
      approval_token: approvalToken ?? null,
      args,
    };
    if (session.isExtended && this.row !== undefined) item.schema_digest = this.row.schema_digest;
    return item;
  }

  /** Remembers the key of a call whose outcome is unknown, and forgets the key of one that is over. */
  noted(result: CallResult): CallResult {
    // A call that waits for an approval may be made twice on purpose.
    if (!needsApproval(result)) this.#rules.open.note(this.request.args ?? {}, result);
    return result;
  }

  /** Notes that the call got no answer. */
  noteLost({ isOpen }: Progress): void {
    if (isOpen) this.#rules.open.noteLost(this.request.capId, this.request.args ?? {}, this.key);
  }
}

/** Throws `TypeError` for a call that can't be made. */
function checkRequest(request: CallRequest): void {
  if (typeof request !== "object" || request === null) throw new TypeError("a call is an object like { capId, args }");
  const { capId, args, key, callId, timeoutMs, idx } = request;
  checkKeys(
    "a call",
    request,
    "idx:number capId:text args:object key:text callId:string timeoutMs:number approvalToken:string dependsOn:string[] schemaDigest:string",
  );
  if (typeof capId !== "string" || capId === "")
    throw new TypeError("capId must be a capability's id, as cap.mail.send.v2");
  if (args !== undefined && (typeof args !== "object" || args === null || Array.isArray(args))) {
    throw new TypeError(`args of ${capId} must be an object`);
  }
  checkId("key", key);
  checkId("callId", callId);
  if (timeoutMs !== undefined && !(Number.isInteger(timeoutMs) && timeoutMs > 0)) {
    throw new TypeError(`timeoutMs must be a whole number of milliseconds from 1, not ${timeoutMs}`);
  }
  if (idx !== undefined && !(Number.isInteger(idx) && idx >= 0)) {
    throw new TypeError(`idx must be a whole number from 0, not ${idx}`);
  }
}

function checkId(name: string, value: unknown): void {
  if (value !== undefined && (typeof value !== "string" || value === "")) {
    throw new TypeError(`${name} must be text that is not empty; leave it out to have one made`);
  }
}
