import { isCount, isObject, joinBytes } from "@toolglot/internal";
import type {
  CallBatchResPayload,
  CatalogSyncReqPayload,
  RequestFrame,
  ResponseFrame,
  ResponseOf,
} from "@toolglot/trp-core/frames";
import { clientError } from "./errors.ts";
import type { CallError } from "./types.ts";

const answersTo: Readonly<Record<RequestFrame["frame_type"], readonly string[]>> = {
  HELLO_REQ: ["HELLO_RES"],
  CATALOG_SYNC_REQ: ["CATALOG_SYNC_RES"],
  CAP_QUERY_REQ: ["CAP_QUERY_RES"],
  CALL_REQ: ["RESULT", "ACK"],
  CALL_BATCH_REQ: ["CALL_BATCH_RES", "ACK"],
  RESULT_QUERY_REQ: ["RESULT_QUERY_RES", "PARTIAL_RESULT", "ACK"],
  CALL_DAG_REQ: ["CALL_DAG_RES", "ACK"],
  CANCEL_REQ: ["CANCEL_RES"],
};

/** The possible outcomes and states of a call. */
const outcomes: readonly string[] = ["SUCCESS", "FAILED", "UNKNOWN"];
const cancelled: readonly string[] = ["CANCELLED", "CANCELLING", "NOT_FOUND"];
const unfinished: readonly string[] = ["IN_PROGRESS", "NOT_FOUND"];

/**
 * Takes what came back for a frame, if it is an answer to it: right type, right ids. Throws `trp-client/bad-answer`
 * otherwise: the answer to another call would be worse than none.
 */
export function readAnswer(value: unknown, request: RequestFrame): ResponseFrame {
  const bad = (why: string): Error =>
    clientError("trp-client/bad-answer", `What came back for the ${request.frame_type} ${why}.`);
  if (!isObject(value) || typeof value.frame_type !== "string" || !isObject(value.payload))
    throw bad("is no TRP frame");
  const { frame_type: type, frame_id: frameId, payload } = value;
  const isNack = type === "NACK";
  if (!isNack && !answersTo[request.frame_type].includes(type)) throw bad(`is a frame that does not answer it`);
  if (isNack && (typeof payload.error_code !== "string" || typeof payload.error_class !== "string")) {
    throw bad("is a NACK without an error");
  }
  const of = isNack ? payload.nack_of_frame_id : type === "ACK" ? payload.ack_of_frame_id : undefined;
  if (typeof of === "string" && of !== request.frame_id) throw bad("answers another frame");
  if (typeof of !== "string" && !isNack && !isAnswerTo(frameId, request.frame_id)) throw bad("answers another frame");
  checkPayload(type, payload, request, bad);
  return value as unknown as ResponseFrame;
}

/** Checks for `res_` and the id, without putting the two together. */
function isAnswerTo(id: unknown, asked: string): boolean {
  return typeof id === "string" && id.length === asked.length + 4 && id.startsWith("res_") && id.endsWith(asked);
}

function checkPayload(
  type: string,
  payload: Record<string, unknown>,
  request: RequestFrame,
  bad: (why: string) => Error,
): void {
  switch (type) {
    case "RESULT": {
      const asked = request.payload as { call_id?: unknown; cap_id?: unknown; idempotency_key?: unknown };
      // A plain router repeats an operation's first RESULT unchanged, with the first call's id.
      const isReplay = typeof asked.idempotency_key === "string" && typeof payload.call_id === "string";
      if ((payload.call_id !== asked.call_id && !isReplay) || payload.cap_id !== asked.cap_id)
        throw bad("is the result of another call");
      if (!outcomes.includes(payload.status as string)) throw bad("has no status");
      return;
    }
    case "HELLO_RES":
      if (typeof payload.session_id !== "string" || !isCount(payload.seq_start)) throw bad("opens no session");
      if (!isCount(payload.catalog_epoch)) throw bad("has no catalog epoch");
      return;
    case "CATALOG_SYNC_RES":
      checkCatalog(payload, request.payload as CatalogSyncReqPayload, bad);
      return;
    case "CALL_BATCH_RES":
    case "CALL_DAG_RES":
      if (!Array.isArray(payload.results) || !payload.results.every(isObject)) throw bad("has no results");
      return;
    case "RESULT_QUERY_RES": {
      const { call_id: callId, status, result = null, error = null } = payload;
      if (callId !== (request.payload as { call_id?: unknown }).call_id) throw bad("is about another call");
      if (![...outcomes, ...unfinished].includes(status as string)) throw bad("has no status");
      const isResult = isObject(result) && result.call_id === callId && outcomes.includes(result.status as string);
      if (result !== null && !isResult) throw bad("has a result that is none of the call");
      if (isResult && result.status !== status) throw bad("contradicts itself");
      if (error !== null && !(isObject(error) && typeof error.error_code === "string"))
        throw bad("has a malformed error");
      return;
    }
    case "PARTIAL_RESULT": {
      const { call_id: callId, events, next_after_event_id: next } = payload;
      if (callId !== (request.payload as { call_id?: unknown }).call_id) throw bad("is about another call");
      if (!Array.isArray(events) || !events.every((event) => isObject(event) && isCount(event.event_id)))
        throw bad("has malformed events");
      if (!isCount(next)) throw bad("does not say what comes next");
      return;
    }
    case "CANCEL_RES": {
      const { call_id: callId, status } = payload;
      if (callId !== (request.payload as { call_id?: unknown }).call_id) throw bad("is about another call");
      if (![...outcomes, ...cancelled].includes(status as string)) throw bad("has no status");
      return;
    }
    case "CAP_QUERY_RES":
      if (payload.cap_id !== (request.payload as { cap_id?: unknown }).cap_id) throw bad("is about another capability");
      if (!isObject(payload.canonical_schema)) throw bad("has no schema");
  }
}

function checkCatalog(
  payload: Record<string, unknown>,
  { mode, known_epoch }: CatalogSyncReqPayload,
  bad: (why: string) => Error,
): void {
  const isDelta = payload.mode === "DELTA";
  if (isDelta && (mode !== "DELTA" || payload.base_epoch !== known_epoch)) throw bad("is about another catalog");
  const lists = isDelta ? [payload.added, payload.changed, payload.removed] : [payload.alias_table];
  if (!isCount(payload.catalog_epoch) || !lists.every(Array.isArray)) throw bad("has no catalog");
  const rows = isDelta ? [payload.added, payload.changed].flat() : (payload.alias_table as unknown[]);
  if (!rows.every(isRow)) throw bad("has a malformed row");
  const removed = isDelta ? (payload.removed as unknown[]) : [];
  if (!removed.every((row) => isObject(row) && isCount(row.idx))) throw bad("has a malformed row");
}

function isRow(row: unknown): boolean {
  return (
    isObject(row) &&
    isCount(row.idx) &&
    ["cap_id", "name", "desc", "risk_tier", "io_class", "schema_digest"].every(
      (name) => typeof row[name] === "string",
    ) &&
    isObject(row.arg_template)
  );
}

/**
 * Returns an error of the wire with what a plain router leaves out filled in. Without `dispatched`, TRP_3xxx counts as started:
 * those are the codes of execution.
 */
export function toCallError(payload: unknown): CallError {
  const { error_class, error_code, message, retryable, retry_hint, fix, dispatched } = isObject(payload) ? payload : {};
  const code = typeof error_code === "string" ? error_code : "TRP_5001";
  return {
    code,
    errorClass: typeof error_class === "string" ? error_class : "INTERNAL_ERROR",
    message: typeof message === "string" ? message : "",
    fix: typeof fix === "string" ? fix : "",
    retryable: retryable === true,
    retryHint: isObject(retry_hint) ? retry_hint : {},
    dispatched: typeof dispatched === "boolean" ? dispatched : code.startsWith("TRP_3"),
  };
}

/** Returns the next number of a NACK or an ACK. */
export function expectedSeq(answer: ResponseFrame): number | undefined {
  const { payload } = answer as { payload: { retry_hint?: unknown; expected_seq_next?: unknown } };
  const said = answer.frame_type === "ACK" ? payload.expected_seq_next : undefined;
  const hinted = answer.frame_type === "NACK" && isObject(payload.retry_hint) ? payload.retry_hint.expected_seq : said;
  return isCount(hinted) && hinted > 0 ? hinted : undefined;
}

/**
 * Codes of refusals that leave the number of their frame unused: version, shape, order, session, identity, rate,
 * overload.
 */
const unadmitted: string =
  "TRP_1001 TRP_1002 TRP_1004 TRP_1008 TRP_2000 TRP_2008 TRP_4006 TRP_4007 TRP_5000 TRP_5002 TRP_5003";

/** Checks whether the router took the frame's number. */
export function isConsumed(answer: ResponseFrame, seq: number): boolean {
  if (answer.frame_type !== "NACK") return true;
  const expected = expectedSeq(answer);
  return expected === undefined ? !unadmitted.split(" ").includes(answer.payload.error_code) : expected > seq;
}

/** Takes the bytes of an answer as they come, and returns the answer at their end. Both throw for what is no answer. */
export interface AnswerReader<Answer> {
  push(bytes: Uint8Array): void;
  end(): Answer;
}

const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** An answer that is one text. */
export class AnswerText implements AnswerReader<string> {
  readonly #maxBytes: number;
  readonly #chunks: Uint8Array[] = [];
  #size = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** Throws `trp-client/bad-answer` when it is too large. */
  push(bytes: Uint8Array): void {
    this.#size += bytes.byteLength;
    if (this.#size > this.#maxBytes) {
      const message = `The answer has more than ${this.#maxBytes} bytes.`;
      throw clientError("trp-client/bad-answer", message, { data: { permanent: true } });
    }
    this.#chunks.push(bytes);
  }

  /** Throws `trp-client/bad-answer` when it is not UTF-8. */
  end(): string {
    // Joined before it is read: a character may lie across two chunks.
    const [first] = this.#chunks;
    try {
      return decoder.decode(this.#chunks.length === 1 ? first : joinBytes(this.#chunks));
    } catch {
      throw clientError("trp-client/bad-answer", "The answer is not UTF-8.");
    }
  }
}

/** What answers a frame, refusals and receipts aside. */
export type AnswerTo<Type extends RequestFrame["frame_type"]> = Type extends "CALL_REQ"
  ? ResponseOf<"RESULT">
  : Type extends "CALL_BATCH_REQ"
    ? ResponseOf<"CALL_BATCH_RES"> & { payload: CallBatchResPayload }
    : Type extends "CATALOG_SYNC_REQ"
      ? ResponseOf<"CATALOG_SYNC_RES">
      : Type extends "CAP_QUERY_REQ"
        ? ResponseOf<"CAP_QUERY_RES">
        : Type extends "CALL_DAG_REQ"
          ? ResponseOf<"CALL_DAG_RES">
          : Type extends "CANCEL_REQ"
            ? ResponseOf<"CANCEL_RES">
            : ResponseOf<"RESULT_QUERY_RES"> | ResponseOf<"PARTIAL_RESULT">;
