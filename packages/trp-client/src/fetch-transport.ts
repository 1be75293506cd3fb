import { ToolglotError } from "@toolglot/core";
import { checkKeys } from "@toolglot/internal";
import { type AnswerReader, AnswerText } from "./answer.ts";
import { clientError } from "./errors.ts";
import { acceptStream, FrameStream, isEventStream } from "./event-stream.ts";
import { authorizer, frameOf, frameUrl, type Token, traceHeaders } from "./router-url.ts";
import type { Transport } from "./transport-types.ts";

/** Options of {@link fetchTransport}. */
export interface FetchTransportOptions {
  /** The router's address; without a path, frames go to `/trp/frame`. */
  url: string | URL;
  /** Bearer token, or a function that returns one for each request. */
  token?: Token;
  /** Default: the global one. */
  fetch?: typeof fetch;
  /** Bytes of an answer. Default 16 MiB. */
  maxAnswerBytes?: number;
}

/**
 * Frames over `fetch`, for browsers and other places without `node:http`. In Node, `httpTransport` from
 * `@toolglot/trp-client/node` is several times faster. `fetch` doesn't report whether anything was sent, so a router that
 * can't be reached is `trp-client/no-answer` here.
 *
 * @example
 * ```ts
 * const client = createClient({ transport: fetchTransport({ url: "https://router.example", token }), agentId: "page" });
 * ```
 */
export function fetchTransport(options: FetchTransportOptions): Transport {
  checkKeys("fetchTransport", options, "url:url token:string|function fetch:function maxAnswerBytes:number", ["url"]);
  const { maxAnswerBytes = 16 * 1024 * 1024 } = options;
  const send = options.fetch ?? globalThis.fetch;
  const url = frameUrl(options.url);
  const authorize = authorizer(options.token);
  return {
    async send(frame, sending) {
      const { signal, onPartial } = sending;
      const body = JSON.stringify(frame);
      const bearer = await authorize();
      let status: number;
      let text: string;
      try {
        const response = await send(url, {
          method: "POST",
          headers: {
            "content-type": "application/json",
            accept: sending.onPartial === undefined ? "application/json" : acceptStream,
            ...(bearer === undefined ? {} : { authorization: bearer }),
            ...traceHeaders(sending.trace),
          },
          body,
          signal,
          redirect: "error",
          credentials: "omit",
          cache: "no-store",
        });
        status = response.status;
        if (onPartial !== undefined && isEventStream(response.headers.get("content-type"))) {
          return await read(response, new FrameStream(onPartial, maxAnswerBytes));
        }
        text = await read(response, new AnswerText(maxAnswerBytes));
      } catch (error) {
        if (ToolglotError.isInstance(error)) throw error;
        throw clientError("trp-client/no-answer", "The router gave no answer.", { cause: error });
      }
      return frameOf(status, text);
    },
    close() {},
  };
}

async function read<Answer>(response: Response, answer: AnswerReader<Answer>): Promise<Answer> {
  const reader = response.body?.getReader();
  try {
    for (;;) {
      const { done = true, value } = (await reader?.read()) ?? {};
      if (done || value === undefined) return answer.end();
      answer.push(value);
    }
  } catch (error) {
    await reader?.cancel().catch(() => {});
    throw error;
  }
}
