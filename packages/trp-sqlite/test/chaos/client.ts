import { type Frame, frame, hello, post } from "./frames.ts";

/** What a client was told in the end. */
export type Told =
  | { status: "success"; receipt: number }
  | { status: "unknown" }
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
}

const pause = (ms: number): Promise<void> => new Promise((done) => setTimeout(done, ms));

/**
 * A client that wants an answer and takes no care: it sends to any router, now and then the same frame to two at once,
 * and again whenever it hears nothing. It must still see each operation happen once.
 */
export class ChaosClient {
  readonly #routers: Routers;
  readonly #doubleSends: number;
  #session: { id: string; epoch: number } | undefined;
  #seq = 1;

  constructor(routers: Routers, doubleSends: number) {
    this.#routers = routers;
    this.#doubleSends = doubleSends;
  }

  /** Asks until there is a final answer, at most `timeoutMs`. */
  async run({ op, idx, capId }: Operation, timeoutMs: number): Promise<Told> {
    const until = Date.now() + timeoutMs;
    let last = "nothing";
    for (let attempt = 1; Date.now() < until; attempt++) {
      const session = await this.#open();
      if (!session) continue;
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
        args: { op },
      };
      const reply = await this.#send(frame("CALL_REQ", session, this.#seq, payload));
      if (!reply) {
        last = "silence";
        continue;
      }
      last = `${reply.frame_type} ${reply.payload.status ?? ""}${reply.payload.error_code ?? ""} ${reply.payload.message ?? ""}`;
      const told = this.#read(reply);
      if (told) return told;
      await pause(10 + Math.random() * 40);
    }
    return { status: "gave-up", last };
  }

  async #open(): Promise<{ id: string; epoch: number } | undefined> {
    if (this.#session) return this.#session;
    const reply = await post(this.#routers.any(), frame("HELLO_REQ", null, null, hello)).catch(() => undefined);
    if (reply?.frame_type !== "HELLO_RES") {
      await pause(20);
      return undefined;
    }
    this.#session = { id: reply.payload.session_id, epoch: reply.payload.catalog_epoch };
    this.#seq = reply.payload.seq_start;
    return this.#session;
  }

  /** The first answer of one router or two. */
  async #send(sent: Frame): Promise<Frame | undefined> {
    const twice = Math.random() < this.#doubleSends;
    const answers = Array.from({ length: twice ? 2 : 1 }, () => post(this.#routers.any(), sent));
    return Promise.any(answers).catch(() => undefined);
  }

  /** The end, or nothing when it has to be sent again. */
  #read({ frame_type, payload }: Frame): Told | undefined {
    if (frame_type === "RESULT") {
      this.#seq += 1;
      if (payload.status === "SUCCESS") return { status: "success", receipt: payload.result.data.receipt };
      if (payload.status === "UNKNOWN") return { status: "unknown" };
      return { status: "failed", code: payload.error.error_code };
    }
    if (frame_type === "ACK") {
      this.#seq = payload.expected_seq_next;
      return undefined;
    }
    if (payload.error_code === "TRP_1008") {
      this.#session = undefined;
      return undefined;
    }
    const expected = payload.retry_hint.expected_seq;
    if (expected !== undefined) this.#seq = expected;
    // What was refused before it started, or may be tried again, is tried again; the rest is an end.
    if (payload.retryable || payload.error_class === "ORDER_VIOLATION" || payload.error_class === "INTERNAL_ERROR")
      return undefined;
    return { status: "failed", code: payload.error_code };
  }
}
