import { SenderContext } from "@toolglot/internal";
import { ack, headOf } from "../frames/replies.ts";
import type { RequestFrame, ResponseFrame } from "../frames/types.ts";
import type { Principal } from "../identity/types.ts";
import type { Router } from "../router/types.ts";
import { jsonHeaders, jsonReply } from "./reply.ts";
import type { HttpReply } from "./types.ts";

/** Lets the router answer a frame: 200 whatever it says, as JSON, or as a stream of events when `heartbeatMs` is there. */
export async function frameAnswer(
  router: Router,
  frame: unknown,
  principal: Principal,
  sender: { readonly signal: AbortSignal },
  heartbeatMs: number | undefined,
): Promise<HttpReply> {
  if (heartbeatMs === undefined) {
    const answer = await router.handle(frame, new SenderContext(principal, sender));
    return { status: 200, headers: jsonHeaders, body: JSON.stringify(answer) };
  }
  return {
    ...jsonReply(200, null, { "content-type": "text/event-stream; charset=utf-8", "x-accel-buffering": "no" }),
    body: "",
    stream: async (write) => {
      const send = (answer: ResponseFrame): void => write(`data: ${JSON.stringify(answer)}\n\n`);
      const heartbeat = setInterval(() => write(": \n\n"), heartbeatMs);
      const unsubscribe = acknowledge(router, frame, send);
      try {
        send(await router.handle(frame, new SenderContext(principal, sender, send)));
      } finally {
        clearInterval(heartbeat);
        unsubscribe();
      }
    },
  };
}

/** An ACK as soon as the router accepts the call (TRP v0.1 draft, 6.2.2); the final answer follows it. */
function acknowledge(router: Router, frame: unknown, send: (answer: ResponseFrame) => void): () => void {
  const call = frame as RequestFrame | null;
  if (typeof call !== "object" || call?.frame_type !== "CALL_REQ") return () => undefined;
  // Its answer is an ACK.
  if (call.payload?.execution_mode === "ASYNC") return () => undefined;
  const { session_id: sessionId, trace_id: traceId, seq } = call;
  const callId = (call.payload as { call_id?: unknown } | null)?.call_id;
  let sent = false;
  return router.subscribe((event) => {
    if (sent || event.type !== "call.accepted" || event.callId !== callId) return;
    if (event.sessionId !== sessionId || event.traceId !== traceId) return;
    sent = true;
    send(ack(headOf(call), "ACCEPTED", { now: router.store.now(), expectedSeq: (seq ?? 0) + 1 }));
  });
}
