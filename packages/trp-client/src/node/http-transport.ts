import {
  Agent as HttpAgent,
  type IncomingMessage,
  type OutgoingHttpHeaders,
  type RequestOptions,
  request as requestHttp,
} from "node:http";
import { type AgentOptions, Agent as HttpsAgent, request as requestHttps } from "node:https";
import type { Socket } from "node:net";
import { urlToHttpOptions } from "node:url";
import type { ToolglotError } from "@toolglot/core";
import { checkKeys, onAbort } from "@toolglot/internal";
import { type AnswerReader, AnswerText } from "../answer.ts";
import { clientError } from "../errors.ts";
import { acceptStream, FrameStream, isEventStream } from "../event-stream.ts";
import { authorizer, frameOf, frameUrl, type Token, traceHeaders } from "../router-url.ts";
import type { SendOptions, Transport } from "../transport-types.ts";

/** Options of {@link httpTransport}. */
export interface HttpTransportOptions {
  /** The router's address; without a path, frames go to `/trp/frame`. */
  url: string | URL;
  /** Bearer token, or a function that returns one for each request. */
  token?: Token;
  /** Connections at one time. Default 64, as many as a session may have frames on their way. */
  maxSockets?: number;
  /** How long an answer may take, in milliseconds; 0: as long as the client waits. Default 0. */
  timeoutMs?: number;
  /** How long a connection may take to be made. Default 5,000 ms. */
  connectTimeoutMs?: number;
  /** Bytes of an answer. Default 16 MiB. */
  maxAnswerBytes?: number;
  /** More of the connections, as `https.Agent` takes it: `ca`, `cert`, `key`, `servername`, `localAddress` … */
  agent?: Readonly<Record<string, unknown>>;
}

/**
 * Frames over `node:http` or `node:https`, on connections of its own that are kept. Errors show whether anything was sent:
 * `trp-client/unreachable` only when there was no connection.
 *
 * @example
 * ```ts
 * const client = createClient({ transport: httpTransport({ url: "http://127.0.0.1:8080", token }), agentId: "agent-7" });
 * ```
 */
export function httpTransport(options: HttpTransportOptions): Transport {
  checkKeys(
    "httpTransport",
    options,
    "url:url token:string|function maxSockets:number timeoutMs:number connectTimeoutMs:number maxAnswerBytes:number agent:object",
    ["url"],
  );
  const { maxSockets = 64, timeoutMs = 0, connectTimeoutMs = 5000, maxAnswerBytes = 16 * 1024 * 1024 } = options;
  const url = frameUrl(options.url);
  const authorize = authorizer(options.token);
  const isSecure = url.protocol === "https:";
  const agentOptions: AgentOptions = { keepAlive: true, scheduling: "lifo", ...options.agent, maxSockets };
  const agent = isSecure ? new HttpsAgent(agentOptions) : new HttpAgent(agentOptions);
  // Taken apart once, not for each request.
  const target = { ...urlToHttpOptions(url), method: "POST", agent };
  const settings = { target, isSecure, timeoutMs, connectTimeoutMs, maxAnswerBytes };
  let isClosed = false;
  return {
    async send(frame, sending) {
      // A frame that can't be written is the caller's mistake, and throws as one.
      const body = JSON.stringify(frame);
      const authorized = authorize();
      const bearer = authorized instanceof Promise ? await authorized : authorized;
      if (isClosed) throw clientError("trp-client/unreachable", "The transport was closed.");
      const headers: OutgoingHttpHeaders = {
        "content-type": "application/json",
        accept: sending.onPartial === undefined ? "application/json" : acceptStream,
        "content-length": Buffer.byteLength(body),
      };
      if (bearer !== undefined) headers.authorization = bearer;
      if (sending.trace !== undefined) Object.assign(headers, traceHeaders(sending.trace));
      for (;;) {
        const end = await post(settings, headers, body, sending);
        if (end === "stale") continue;
        return "frame" in end ? end.frame : frameOf(end.status, end.text);
      }
    },
    close() {
      isClosed = true;
      agent.destroy();
    },
  };
}

interface Settings {
  target: RequestOptions;
  isSecure: boolean;
  timeoutMs: number;
  connectTimeoutMs: number;
  maxAnswerBytes: number;
}

/** Sends one request. `stale`: the server had closed the kept connection before it could see the request. */
function post(
  settings: Settings,
  headers: OutgoingHttpHeaders,
  body: string,
  sending: SendOptions,
): Promise<{ status: number; text: string } | { frame: unknown } | "stale"> {
  const { target, isSecure, timeoutMs, connectTimeoutMs, maxAnswerBytes } = settings;
  return new Promise((resolve, reject) => {
    const request = (isSecure ? requestHttps : requestHttp)({ ...target, headers });
    let isConnected = false;
    let isOver = false;
    let stopListening = (): void => {};
    let connectTimer: NodeJS.Timeout | undefined;
    let answerTimer: NodeJS.Timeout | undefined;
    const finish = (end: () => void): void => {
      if (isOver) return;
      isOver = true;
      clearTimeout(connectTimer);
      clearTimeout(answerTimer);
      stopListening();
      end();
    };
    const fail = (error: ToolglotError): void => {
      finish(() => {
        reject(error);
        request.destroy();
      });
    };
    const lost = (why: string, cause?: unknown): ToolglotError =>
      isConnected
        ? clientError("trp-client/no-answer", `The router gave no answer: ${why}.`, { cause })
        : clientError("trp-client/unreachable", `The router can't be reached: ${why}.`, { cause });
    const giveUp = (): void => fail(lost("it was no longer waited for"));
    if (sending.onAbort === undefined) stopListening = onAbort(sending.signal, giveUp);
    else sending.onAbort(giveUp);
    request.once("socket", (socket: Socket) => {
      if (request.reusedSocket || !socket.connecting) isConnected = true;
      else {
        // From here on: before, it waits for its place in the pool.
        connectTimer = setTimeout(() => fail(lost("no connection in time")), connectTimeoutMs);
        socket.once(isSecure ? "secureConnect" : "connect", () => {
          isConnected = true;
          clearTimeout(connectTimer);
        });
      }
    });
    request.on("error", (error: NodeJS.ErrnoException) => {
      // Closed while it lay idle: no byte of an answer came. Once more, on another connection.
      if (request.reusedSocket && (error.code === "ECONNRESET" || error.code === "EPIPE"))
        finish(() => resolve("stale"));
      else fail(lost(error.code ?? "the connection failed", error));
    });
    request.on("response", (response) => {
      const { onPartial } = sending;
      if (onPartial !== undefined && isEventStream(response.headers["content-type"])) {
        const frames = new FrameStream(onPartial, maxAnswerBytes);
        read(response, frames, fail, lost, (frame) => finish(() => resolve({ frame })));
        return;
      }
      read(response, new AnswerText(maxAnswerBytes), fail, lost, (text) => {
        finish(() => resolve({ status: response.statusCode ?? 0, text }));
      });
    });
    if (isOver) return;
    if (timeoutMs > 0) answerTimer = setTimeout(() => fail(lost("no answer in time")), timeoutMs);
    // As text it goes out in one piece with the head.
    request.end(body);
  });
}

function read<Answer>(
  response: IncomingMessage,
  answer: AnswerReader<Answer>,
  fail: (error: ToolglotError) => void,
  lost: (why: string, cause?: unknown) => ToolglotError,
  done: (answer: Answer) => void,
): void {
  const orFail = (act: () => void): void => {
    try {
      act();
    } catch (error) {
      fail(error as ToolglotError);
    }
  };
  response.on("data", (chunk: Buffer) => orFail(() => answer.push(chunk)));
  response.on("error", (error) => fail(lost("the answer broke off", error)));
  response.on("aborted", () => fail(lost("the answer broke off")));
  response.on("end", () => orFail(() => done(answer.end())));
}
