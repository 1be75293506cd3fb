import { type Frame, frame, hello, post } from "./frames.ts";

/** What a client was told in the end. `not-run`: cancelled, and nothing was executed. `stopped`: cancelled while it ran. */
export type Told =
  | { status: "success"; receipt: number }
  | { status: "unknown" | "not-run" | "stopped" }
  | { status: "failed"; code: string }
  | { status: "gave-up"; last: string };

/** Where routers listen now. */
export interface Routers {
  /** The port of any of them. */
  any(): number;
}

/** One operation of one client. */
export interface Operation {
  op: string;
  idx: number;
  capId: string;
  /** Default SYNC. */
  mode?: "SYNC" | "ASYNC";
  /** Whether the client changes its mind while it runs. */
  cancels?: boolean;
}

/** Everything that a client heard of one call, whichever router said it. */
export interface Heard {
  /** Of final answers, as they came. */
  statements: Told["status"][];
  /** Partial results by their numbers: attempt and message. */
  parts: Map<number, string>;
  /** What was wrong with partial results. */
  faults: string[];
  /** Frames and their answers, for who looks for the cause of something wrong. */
  log: string[];
}

const pause = (ms: number): Promise<void> => new Promise((done) => setTimeout(done, ms));

/**
 * A client that wants an answer and takes no care: it sends to any router, now and then the same frame two or three times at once,
 * and again whenever it hears nothing. It must still see each operation happen once.
 */
export class ChaosClient {
  readonly #routers: Routers;
  readonly #doubleSends: number;
  readonly #silenceMs: number;
  #session: { id: string; epoch: number } | undefined;
  #opening: Promise<void> | undefined;
  #seq = 1;
  readonly heard = new Map<string, Heard>();

  /** A router that says nothing for `silenceMs` counts as gone. */
  constructor(routers: Routers, doubleSends: number, silenceMs = 1500) {
    this.#routers = routers;
    this.#doubleSends = doubleSends;
    this.#silenceMs = silenceMs;
  }

  /** Asks until there is a final answer, at most `timeoutMs`; of an ASYNC call, reads its partial results too. */
  async run(operation: Operation, timeoutMs: number): Promise<Told> {
    const until = Date.now() + timeoutMs;
    let isOver = false;
    const cancelling = operation.cancels ? this.#cancel(operation, () => isOver || Date.now() > until) : undefined;
    const told = await this.#call(operation, until);
    isOver = true;
    await cancelling;
    return told;
  }

  /** What is said of a call once all is quiet; of an ASYNC call, its partial results from the first one. */
  async lookBack(operation: Operation, timeoutMs: number): Promise<void> {
    const { op, mode } = operation;
    const until = Date.now() + timeoutMs;
    if (mode === "ASYNC") await this.#follow(operation, until);
    else await this.#ask("RESULT_QUERY_REQ", op, { call_id: `call_${op}` });
  }

  async #call(operation: Operation, until: number): Promise<Told> {
    const { op, idx, capId, mode = "SYNC" } = operation;
    let last = "nothing";
    for (let attempt = 1; Date.now() < until; attempt++) {
      const payload = {
        call_id: `call_${op}`,
        idempotency_key: `key_${op}`,
        idx,
        cap_id: capId,
        depends_on: [],
        attempt,
        // Long: on a busy machine, a call must not end by its time.
        timeout_ms: 30_000,
        approval_token: null,
        ...(mode === "ASYNC" && { execution_mode: mode }),
        args: { op },
      };
      const reply = await this.#ask("CALL_REQ", op, payload);
      last = reply === undefined ? "silence" : brief(reply);
      let told = reply && toldBy(reply);
      if (told === undefined && mode === "ASYNC" && reply?.frame_type === "ACK") {
        told = await this.#follow(operation, until);
      } else if (told?.status === "success" && mode === "ASYNC") {
        // It was over before it was followed: its partial results are there all the same.
        await this.#follow(operation, until);
      }
      if (told) return told;
      await pause(10 + Math.random() * 40);
    }
    return { status: "gave-up", last };
  }

  /** Polls the partial results and the end of an ASYNC call; nothing when it has to be sent again. */
  async #follow({ op }: Operation, until: number): Promise<Told | undefined> {
    const heard = this.heardOf(op);
    for (let after = 0; Date.now() < until; ) {
      const reply = await this.#ask("RESULT_QUERY_REQ", op, { call_id: `call_${op}`, after_event_id: after });
      if (reply?.frame_type === "PARTIAL_RESULT") {
        const { events, events_truncated, next_after_event_id } = reply.payload;
        if (events_truncated) heard.faults.push(`truncated after ${after}`);
        for (const { event_id, attempt, message } of events) {
          if (event_id !== after + 1) heard.faults.push(`${event_id} after ${after}`);
          const known = heard.parts.get(event_id);
          const text = `${attempt} ${message}`;
          if (known !== undefined && known !== text) heard.faults.push(`${event_id} was ${known}, is ${text}`);
          heard.parts.set(event_id, text);
          after = event_id;
        }
        if (next_after_event_id !== after) heard.faults.push(`next ${next_after_event_id} after ${after}`);
        continue;
      }
      if (reply?.frame_type === "RESULT_QUERY_RES") {
        const { status, last_event_id } = reply.payload;
        const told = toldBy(reply);
        if (told !== undefined && last_event_id !== after)
          heard.faults.push(`ends with ${last_event_id} after ${after}`);
        if (told !== undefined) return told;
        if (status !== "IN_PROGRESS") {
          // It came to nothing, and the next attempt counts anew.
          if (status !== "NOT_FOUND") heard.parts.clear();
          return undefined;
        }
      }
      await pause(10 + Math.random() * 40);
    }
    return undefined;
  }

  async #cancel({ op }: Operation, isOver: () => boolean): Promise<void> {
    await pause(Math.random() * 80);
    while (!isOver()) {
      const reply = await this.#ask("CANCEL_REQ", op, { call_id: `call_${op}` });
      if (reply?.frame_type === "CANCEL_RES" && reply.payload.status !== "NOT_FOUND") return;
      await pause(Math.random() * 10);
    }
  }

  /** One frame of the session, and its first answer; what the answers say of the call is noted. */
  async #ask(type: string, op: string, payload: Frame): Promise<Frame | undefined> {
    const session = await this.#open();
    if (!session) return undefined;
    const sent = frame(type, session, this.#seq++, payload);
    const sends = Math.random() < this.#doubleSends ? 2 + Math.floor(Math.random() * 2) : 1;
    const answers = Array.from({ length: sends }, async () => {
      const port = this.#routers.any();
      const sentAt = Date.now();
      const reply = await post(port, sent, this.#silenceMs);
      this.heardOf(op).log.push(
        `${sentAt} ${port} ${sent.session_id} ${type} ${sent.seq} ${Date.now()} ${brief(reply)}`,
      );
      const told = toldBy(reply);
      if (told !== undefined) this.heardOf(op).statements.push(told.status);
      return reply;
    });
    const reply = await Promise.any(answers).catch(() => undefined);
    if (reply?.frame_type === "NACK") {
      const { error_code, retry_hint } = reply.payload;
      if (error_code === "TRP_1008") this.#session = undefined;
      if (error_code === "TRP_1002" || error_code === "TRP_1004") this.#seq = retry_hint.expected_seq;
    }
    return reply;
  }

  /** What was heard of an operation; nothing yet, when no router has answered. */
  heardOf(op: string): Heard {
    const heard = this.heard.get(op) ?? { statements: [], parts: new Map(), faults: [], log: [] };
    this.heard.set(op, heard);
    return heard;
  }

  async #open(): Promise<{ id: string; epoch: number } | undefined> {
    this.#opening ??= this.#hello().finally(() => {
      this.#opening = undefined;
    });
    if (this.#session === undefined) await this.#opening;
    return this.#session;
  }

  async #hello(): Promise<void> {
    if (this.#session !== undefined) return;
    const reply = await post(this.#routers.any(), frame("HELLO_REQ", null, null, hello), this.#silenceMs).catch(
      () => undefined,
    );
    if (reply?.frame_type !== "HELLO_RES") {
      await pause(20);
      return;
    }
    this.#session = { id: reply.payload.session_id, epoch: reply.payload.catalog_epoch };
    this.#seq = reply.payload.seq_start;
  }
}

function brief({ frame_type, payload }: Frame): string {
  const { status, error_code, message, error, result } = payload;
  const inner = error ?? result?.error;
  const why = inner ? ` (${inner.error_code} ${inner.message})` : "";
  return `${frame_type} ${status ?? ""}${error_code ?? ""} ${message ?? ""}${why}`;
}

/** The end that a frame tells, or nothing when it tells none, or something that may be tried again. */
function toldBy({ frame_type, payload }: Frame): Told | undefined {
  switch (frame_type) {
    case "RESULT":
      return toldByResult(payload);
    case "NACK":
      return payload.nack_of_call_id === null ? undefined : toldByNack(payload);
    case "RESULT_QUERY_RES":
      if (payload.result !== null) return toldByResult(payload.result);
      return payload.error === null ? undefined : toldByNack(payload.error);
    case "CANCEL_RES":
      if (payload.status === "SUCCESS") return { status: "success", receipt: 0 };
      if (payload.status === "CANCELLED") return { status: "not-run" };
      return payload.status === "UNKNOWN" ? { status: "unknown" } : undefined;
    default:
      return undefined;
  }
}

function toldByResult({ status, result, error }: Frame): Told | undefined {
  if (status === "SUCCESS") return { status: "success", receipt: result.data.receipt };
  return status === "UNKNOWN" ? { status: "unknown" } : toldByNack(error);
}

/** What was refused before it started, or may be tried again, is tried again; the rest is an end. */
function toldByNack({ error_code, error_class, dispatched, retryable }: Frame): Told | undefined {
  if (error_code === "TRP_3005") return { status: dispatched ? "stopped" : "not-run" };
  if (retryable || error_class === "ORDER_VIOLATION" || error_class === "INTERNAL_ERROR") return undefined;
  return { status: "failed", code: error_code };
}
