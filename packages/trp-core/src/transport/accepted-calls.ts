import type { RouterEvent } from "../events/types.ts";
import { ack, headOf } from "../frames/replies.ts";
import type { RequestOf, ResponseFrame } from "../frames/types.ts";
import type { Router } from "../router/types.ts";

interface Waiting {
  readonly call: RequestOf<"CALL_REQ">;
  readonly send: (answer: ResponseFrame) => void;
}

/**
 * Sends an ACK as soon as the router accepts a call (TRP v0.1 draft, 6.2.2), where the final answer can follow it. Listens once
 * for all calls that are on their way, however many those are.
 */
export class AcceptedCalls {
  readonly #router: Pick<Router, "subscribe" | "store">;
  readonly #waiting = new Map<string, Set<Waiting>>();
  #unsubscribe: (() => void) | undefined;

  constructor(router: Pick<Router, "subscribe" | "store">) {
    this.#router = router;
  }

  /** Sends it at most once; returns what ends the waiting. `frame` may be anything: only a call that is waited for is acknowledged. */
  acknowledge(frame: unknown, send: (answer: ResponseFrame) => void): () => void {
    const call = frame as RequestOf<"CALL_REQ"> | null;
    if (typeof call !== "object" || call?.frame_type !== "CALL_REQ") return nothing;
    const { call_id: callId, execution_mode: mode } = (call.payload as Partial<typeof call.payload> | null) ?? {};
    // The answer to an ASYNC call is an ACK itself.
    if (typeof callId !== "string" || mode === "ASYNC") return nothing;
    const key = keyOf(call.session_id, callId);
    const waiting: Waiting = { call, send };
    const known = this.#waiting.get(key);
    if (known === undefined) this.#waiting.set(key, new Set([waiting]));
    else known.add(waiting);
    this.#unsubscribe ??= this.#router.subscribe((event) => this.#hear(event));
    return () => this.#end(key, waiting);
  }

  #hear(event: RouterEvent): void {
    if (event.type !== "call.accepted") return;
    const key = keyOf(event.sessionId, event.callId);
    for (const waiting of this.#waiting.get(key) ?? []) {
      const { call, send } = waiting;
      if (call.trace_id !== event.traceId) continue;
      this.#end(key, waiting);
      send(ack(headOf(call), "ACCEPTED", { now: this.#router.store.now(), expectedSeq: (call.seq ?? 0) + 1 }));
    }
  }

  #end(key: string, waiting: Waiting): void {
    const all = this.#waiting.get(key);
    if (all === undefined || !all.delete(waiting) || all.size > 0) return;
    this.#waiting.delete(key);
    if (this.#waiting.size > 0) return;
    this.#unsubscribe?.();
    this.#unsubscribe = undefined;
  }
}

function keyOf(sessionId: string | null, callId: string): string {
  return `${sessionId} ${callId}`;
}

function nothing(): void {}
