import { randomBytes, randomUUID } from "node:crypto";
import type {
  JSONRPCMessage,
  MessageExtraInfo,
  RequestId,
  WebStandardStreamableHTTPServerTransport,
} from "@modelcontextprotocol/server";
import { inBackground, parseJson } from "@toolglot/internal";
import type { SessionStore } from "./session-records.ts";

/** Milliseconds between two looks for what another process was sent: while the client is asked something, and while a call runs. */
const askedMs = 250;
const runningMs = 1_000;

const folder = "gateway/session-mail/";
/** Stands for whichever process has the request that a message is about. */
const anybody = "any";

type Transport = WebStandardStreamableHTTPServerTransport;

/**
 * Passes a session's messages to the process that they are for. The requests of a session may come to any process, so what a client
 * answers, or cancels, may come to another one than that which asked, or runs the call. Requests to the client have ids that name
 * their process.
 */
export class SessionMail {
  readonly #store: Pick<SessionStore, "blobs">;
  readonly #folder: string;
  readonly #onError: (error: Error) => void;
  readonly #self = randomBytes(8).toString("hex");
  /** Requests to the client, and of the client, that have no answer yet. */
  readonly #asked = new Set<RequestId>();
  readonly #running = new Set<RequestId>();
  readonly #seen = new Set<string>();
  #deliver: (message: JSONRPCMessage) => void = () => {};
  #timer: ReturnType<typeof setTimeout> | undefined;
  #lookAt = 0;
  #isLooking = false;
  #isClosed = false;

  constructor(store: Pick<SessionStore, "blobs">, session: string, onError: (error: Error) => void) {
    this.#store = store;
    this.#folder = `${folder}${session}/`;
    this.#onError = onError;
  }

  /** Stands between a transport and its server, which are connected. */
  connect(transport: Transport): void {
    const { onmessage } = transport;
    const send = transport.send.bind(transport);
    transport.send = (message, options) => send(this.#outgoing(message), options);
    transport.onmessage = (message: JSONRPCMessage, extra?: MessageExtraInfo) => {
      const own = this.#incoming(message);
      if (own !== undefined) onmessage?.(own, extra);
    };
    this.#deliver = (message) => onmessage?.(message);
  }

  /** Removes what nobody has fetched. */
  async clear(): Promise<void> {
    for await (const name of this.#store.blobs.list(this.#folder)) await this.#store.blobs.delete(name);
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
  }

  #outgoing(message: JSONRPCMessage): JSONRPCMessage {
    if ("method" in message) {
      if ("id" in message) {
        const id = this.#named(message.id);
        this.#asked.add(id);
        this.#lookSoon();
        return { ...message, id };
      }
      if (message.method !== "notifications/cancelled") return message;
      const requestId = this.#named(message.params?.requestId as RequestId);
      this.#asked.delete(requestId);
      return { ...message, params: { ...message.params, requestId } };
    }
    if (message.id !== undefined) this.#running.delete(message.id);
    return message;
  }

  /** Returns the message for this process; `undefined` when it goes to another. */
  #incoming(message: JSONRPCMessage): JSONRPCMessage | undefined {
    if ("method" in message) {
      if ("id" in message) {
        this.#running.add(message.id);
        this.#lookSoon();
      } else if (message.method === "notifications/cancelled") {
        // What is cancelled gets no answer.
        if (!this.#running.delete(message.params?.requestId as RequestId)) this.#post(anybody, message);
      }
      return message;
    }
    const [, process, number] = /^([0-9a-f]{16}):(\d+)$/.exec(String(message.id)) ?? [];
    if (process === undefined) return message;
    if (process !== this.#self) {
      this.#post(process, message);
      return undefined;
    }
    this.#asked.delete(message.id as RequestId);
    return { ...message, id: Number(number) };
  }

  #named(id: RequestId): RequestId {
    return `${this.#self}:${id}`;
  }

  #post(to: string, message: JSONRPCMessage): void {
    const bytes = new TextEncoder().encode(JSON.stringify(message));
    this.#store.blobs.put(`${this.#folder}${to}/${randomUUID()}`, bytes).catch(this.#onError);
  }

  #lookSoon(): void {
    if (this.#isClosed || this.#isLooking || this.#asked.size + this.#running.size === 0) return;
    const ms = this.#asked.size > 0 ? askedMs : runningMs;
    const at = performance.now() + ms;
    // Requests that follow one another must not put it off.
    if (this.#timer !== undefined && this.#lookAt <= at) return;
    clearTimeout(this.#timer);
    this.#lookAt = at;
    this.#timer = inBackground(() => void this.#lookNow(), ms);
  }

  async #lookNow(): Promise<void> {
    this.#timer = undefined;
    this.#isLooking = true;
    await this.#look().catch(this.#onError);
    this.#isLooking = false;
    this.#lookSoon();
  }

  async #look(): Promise<void> {
    for await (const name of this.#store.blobs.list(this.#folder)) {
      const [to] = name.slice(this.#folder.length).split("/");
      if ((to !== this.#self && to !== anybody) || this.#seen.has(name)) continue;
      this.#seen.add(name);
      const bytes = await this.#store.blobs.get(name);
      const message = bytes && (parseJson(new TextDecoder().decode(bytes)) as JSONRPCMessage);
      if (message === undefined || (to === anybody && !this.#isAboutRunning(message))) continue;
      await this.#store.blobs.delete(name);
      const own = this.#incoming(message);
      if (own !== undefined) this.#deliver(own);
    }
  }

  #isAboutRunning(message: JSONRPCMessage): boolean {
    const { requestId } = Object("params" in message && message.params) as { requestId?: RequestId };
    return requestId !== undefined && this.#running.has(requestId);
  }
}
