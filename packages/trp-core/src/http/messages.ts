import { fault } from "../frames/fault.ts";
import { emptyHead, nack } from "../frames/replies.ts";
import type { TrpCode } from "../frames/results.ts";
import type { ResponseFrame } from "../frames/types.ts";
import type { Principal } from "../identity/types.ts";
import type { TraceHeaders } from "../tracing/spans.ts";
import type { FrameAnswers } from "../transport/frame-answers.ts";
import type { HttpHead, HttpReply } from "./types.ts";

/** Of an answer in JSON that nobody keeps. */
export const jsonHeaders: Readonly<Record<string, string>> = {
  "content-type": "application/json; charset=utf-8",
  "cache-control": "no-store",
  "x-content-type-options": "nosniff",
};

/** An answer in JSON that nobody keeps. */
export function jsonReply(status: number, body: unknown, headers?: Record<string, string>): HttpReply {
  return { status, headers: { ...jsonHeaders, ...headers }, body: JSON.stringify(body) };
}

/** A refusal before any frame was read, as the NACK it is. */
export function nackReply(
  status: number,
  code: TrpCode,
  message: string,
  options: { fix?: string; now: number; headers?: Record<string, string> },
): HttpReply {
  const { fix, now, headers } = options;
  return jsonReply(status, nack(emptyHead, fault(code, message, fix === undefined ? {} : { fix }), { now }), headers);
}

/** Returns a refusal of the other paths. */
export function errorReply(status: number, code: string, message: string, headers?: Record<string, string>): HttpReply {
  return jsonReply(status, { error: { code, message } }, headers);
}

/** Lets the router answer a frame: always 200, as JSON, or as a stream of events when `heartbeatMs` is there. */
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

/** Returns the token of an `Authorization: Bearer …` header (RFC 6750, 2.1), of any visible characters; undefined without one. */
export function bearerToken(authorization: string | undefined): string | undefined {
  if (authorization === undefined || authorization.length > 8192) return undefined;
  return /^bearer +([!-~]+) *$/i.exec(authorization)?.[1];
}

/** Whether a `Content-Type` is JSON in UTF-8: `application/json`, or a type that ends with `+json`. */
export function isJsonType(contentType: string | undefined): boolean {
  if (contentType === "application/json") return true;
  if (contentType === undefined || contentType.length > 256) return false;
  const [type = "", ...parameters] = contentType.toLowerCase().split(";");
  const charset = parameters.map((text) => text.trim()).find((text) => text.startsWith("charset="));
  if (charset !== undefined && !/^charset="?utf-?8"?$/.test(charset)) return false;
  return /^application\/(?:json|[\w.-]+\+json)$/.test(type.trim());
}

/**
 * Checks whether the caller asks for an event stream: `Accept` names `text/event-stream`, and doesn't want JSON as much or
 * more. No header, or an answer that can be either, is JSON.
 */
export function wantsEventStream(accept: string | undefined): boolean {
  if (accept === undefined || accept.length > 1024 || !accept.includes("text/event-stream")) return false;
  let stream = 0;
  let json = 0;
  for (const part of accept.toLowerCase().split(",")) {
    const [type = "", ...parameters] = part.split(";").map((text) => text.trim());
    const given = parameters.find((text) => text.startsWith("q="));
    const quality = given === undefined ? 1 : Number(given.slice(2));
    if (type === "text/event-stream") stream = quality;
    else if (type === "application/json") json = quality;
  }
  return stream > json;
}

/** Returns the name in a `Host` header, in lower case and without port: `[::1]:80` is `::1`. Undefined when it is malformed. */
export function hostName(host: string | undefined): string | undefined {
  const match = /^(?:\[([0-9a-f:.]{2,45})\]|([\w.-]{1,255}))(?::\d{1,5})?$/i.exec(host ?? "");
  return (match?.[1] ?? match?.[2])?.toLowerCase();
}

/** Whether a page of this origin has the host for its own. */
export function isSameOrigin(origin: string, host: string | undefined): boolean {
  const match = /^https?:\/\/([^/\s]{1,300})$/i.exec(origin);
  return match !== null && host !== undefined && match[1]?.toLowerCase() === host.toLowerCase();
}

/** The trace headers of a request (W3C Trace Context, 3). */
export function traceHeaders({ header }: Pick<HttpHead, "header">): TraceHeaders | undefined {
  const traceparent = header("traceparent");
  return traceparent === undefined ? undefined : { traceparent, tracestate: header("tracestate") };
}
