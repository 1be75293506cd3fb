import type { ResponseFrame } from "../frames/types.ts";
import type { Principal } from "../identity/types.ts";
import type { TraceHeaders } from "../tracing/spans.ts";
import type { FrameAnswers } from "../transport/frame-answers.ts";
import { jsonHeaders, jsonReply } from "./reply.ts";
import type { HttpReply } from "./types.ts";

/** Lets the router answer a frame: 200 whatever it says, as JSON, or as a stream of events when `heartbeatMs` is there. */
export async function frameAnswer(
  answers: FrameAnswers,
  frame: unknown,
  principal: Principal,
  sender: { readonly signal: AbortSignal },
  trace: TraceHeaders | undefined,
  heartbeatMs: number | undefined,
): Promise<HttpReply> {
  if (heartbeatMs === undefined) {
    const answer = await answers.answer(frame, new HttpSender(principal, sender, trace));
    return { status: 200, headers: jsonHeaders, body: JSON.stringify(answer) };
  }
  return {
    ...jsonReply(200, null, { "content-type": "text/event-stream; charset=utf-8", "x-accel-buffering": "no" }),
    body: "",
    stream: async (write) => {
      const send = (answer: ResponseFrame): void => write(`data: ${JSON.stringify(answer)}\n\n`);
      const heartbeat = setInterval(() => write(": \n\n"), heartbeatMs);
      try {
        send(await answers.answer(frame, { principal, signal: sender.signal, early: send, trace }));
      } finally {
        clearInterval(heartbeat);
      }
    },
  };
}

/** Its signal is only made when it is read, which few frames need. */
class HttpSender {
  readonly principal: Principal;
  readonly trace: TraceHeaders | undefined;
  readonly #sender: { readonly signal: AbortSignal };

  constructor(principal: Principal, sender: { readonly signal: AbortSignal }, trace: TraceHeaders | undefined) {
    this.principal = principal;
    this.trace = trace;
    this.#sender = sender;
  }

  get signal(): AbortSignal {
    return this.#sender.signal;
  }
}
