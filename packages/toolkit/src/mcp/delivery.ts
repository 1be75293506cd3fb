import type { JSONRPCMessage, Transport, TransportSendOptions } from "@modelcontextprotocol/client";
import { isUnauthorised } from "./authorization.ts";
import { isUnanswered } from "./incoming.ts";
import type { ClientModule } from "./load-client.ts";
import type { McpProgress } from "./types.ts";

/**
 * Fate of a call that has no answer.
 * - `unsent`: no server has run it, and a new connection may help.
 * - `lost`: the server may have run it; the connection is gone.
 * - `unclear`: the server may have run it; what it answered can't be read.
 * - `silent`: the server may run it still; it said nothing for too long.
 * - `too-large`: the same, as it was longer than the client takes.
 * - `refused`: the server read the request and refused it.
 * - `unauthorised`: the server refused it, because it wants an authorisation.
 * - `aborted`: the caller wants no answer any more.
 */
export type Fate = "unsent" | "lost" | "unclear" | "silent" | "too-large" | "refused" | "unauthorised" | "aborted";

/** Fault in which a request without an answer ended. */
export class CallFault extends Error {
  readonly fate: Fate;

  constructor(fate: Fate, cause: unknown) {
    super("the call has no answer", { cause });
    this.fate = fate;
  }
}

/** One call on its way. A call may take several requests, one after another: servers may ask for more input. */
export class Delivery {
  /** Whether anything was handed to the transport. */
  handedOver = false;
  /** Whether the last request has an answer, whatever it is. */
  answered = false;
  /** Whether the stream that should bring the answer has ended without it. */
  cut = false;
  readonly onProgress: ((progress: McpProgress) => void) | undefined;
  readonly #onCut: () => void;
  /** The last request. */
  #id: unknown;

  /** `onCut` is called once, when no answer can come any more though the connection may live on. */
  constructor(onCut: () => void, onProgress?: (progress: McpProgress) => void) {
    this.#onCut = onCut;
    this.onProgress = onProgress;
  }

  /** Returns the options to send a request with, so that the delivery learns when its stream ends. */
  handOver(id: unknown, options: TransportSendOptions | undefined): TransportSendOptions {
    this.handedOver = true;
    this.answered = false;
    this.#id = id;
    return {
      ...options,
      onRequestStreamEnd: () => {
        options?.onRequestStreamEnd?.();
        if (id !== this.#id || this.answered || this.cut) return;
        this.cut = true;
        this.#onCut();
      },
    };
  }

  /** Of the last request. */
  get id(): unknown {
    return this.#id;
  }

  receiveAnswer(id: unknown): void {
    if (id === this.#id) this.answered = true;
  }
}

/**
 * Follows the calls that go through a transport. The official client doesn't say whether a failed request had been sent,
 * waits on when the stream for its answer breaks off, and drops progress that comes together with the answer. Calls are
 * known by the identity of their `arguments` object.
 */
export class Deliveries {
  readonly #byArguments = new WeakMap<object, Delivery>();
  /** By the ids of their requests, which are the tokens of their progress too. */
  readonly #sent = new Map<unknown, Delivery>();

  /** Watches the transport. Must be called before it is connected. */
  watch(transport: Transport): void {
    const send = transport.send.bind(transport);
    transport.send = (message: JSONRPCMessage, options?: TransportSendOptions) => {
      const delivery = this.#find(message);
      if (delivery === undefined || !("id" in message)) return send(message, options);
      this.#sent.set(message.id, delivery);
      return send(message, delivery.handOver(message.id, options));
    };
    const { onmessage } = transport;
    transport.onmessage = (message, extra) => {
      onmessage?.(message, extra);
      this.#receive(message);
    };
  }

  open(args: object, delivery: Delivery): void {
    this.#byArguments.set(args, delivery);
  }

  close(delivery: Delivery): void {
    for (const [id, sent] of this.#sent) if (sent === delivery) this.#sent.delete(id);
  }

  #find(message: JSONRPCMessage): Delivery | undefined {
    if (!("method" in message) || message.method !== "tools/call") return undefined;
    const args: unknown = message.params?.arguments;
    return typeof args === "object" && args !== null ? this.#byArguments.get(args) : undefined;
  }

  #receive(message: JSONRPCMessage): void {
    if (!("method" in message)) {
      this.#sent.get(message.id)?.receiveAnswer(message.id);
    } else if (message.method === "notifications/progress") {
      const { progressToken, progress, total, message: text } = message.params ?? {};
      const delivery = this.#sent.get(progressToken);
      if (delivery === undefined || delivery.answered || typeof progress !== "number") return;
      const numbers = { progress, ...(typeof total === "number" && { total }) };
      delivery.onProgress?.({ ...numbers, ...(typeof text === "string" && { message: text }) });
    }
  }
}

/** Codes of a connection that was never made. */
const unconnected = /^(?:ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|UND_ERR_CONNECT_TIMEOUT)$/;

/** Reads a failed call's error, together with what is known of its delivery. */
export function fateOf(error: unknown, sdk: ClientModule, delivery: Delivery): Fate {
  const { ProtocolError, SdkError, SdkHttpError, SdkErrorCode } = sdk;
  if (!delivery.handedOver) return "unsent";
  if (delivery.cut) return "lost";
  if (isUnauthorised(error, sdk)) return "unauthorised";
  if (ProtocolError.isInstance(error)) return isUnanswered(error) ? "unclear" : "refused";
  if (SdkHttpError.isInstance(error)) return fateOfStatus(error.status, error.data.text);
  if (SdkError.isInstance(error)) {
    if (error.code === SdkErrorCode.NotConnected) return "unsent";
    return error.code === SdkErrorCode.ConnectionClosed || error.code === SdkErrorCode.SendFailed ? "lost" : "unclear";
  }
  if (delivery.answered) return "unclear";
  // The only message of the transport for HTTP with SSE.
  const [, status] =
    /^Error POSTing to endpoint \(HTTP (\d{3})\)/.exec((error as Error | undefined)?.message ?? "") ?? [];
  if (status !== undefined) return fateOfStatus(Number(status), (error as Error).message);
  return unconnected.test(codeOf(error)) ? "unsent" : "lost";
}

/**
 * Returns the fate of a request by its HTTP status. 404 means that the session is not known, so nothing ran; some servers use 400 for
 * it. Other 4xx are refusals. What a proxy could not pass on, or what times out, may have arrived.
 */
function fateOfStatus(status: number, text: unknown): Fate {
  if (status === 404 || (status === 400 && /session/i.test(String(text)))) return "unsent";
  if (status === 408 || status === 502 || status === 503 || status === 504) return "lost";
  return status >= 400 && status < 500 ? "refused" : "unclear";
}

/** Returns the code of an error: `fetch` hides it in the cause, or in the first of several. */
function codeOf(error: unknown, depth = 0): string {
  if (typeof error !== "object" || error === null || depth > 3) return "";
  const { code, cause, errors } = error as { code?: unknown; cause?: unknown; errors?: unknown };
  if (typeof code === "string") return code;
  return codeOf(cause, depth + 1) || codeOf(Array.isArray(errors) ? errors[0] : undefined, depth + 1);
}
