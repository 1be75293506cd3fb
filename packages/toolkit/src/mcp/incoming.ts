import type { FetchLike, JSONRPCMessage, Transport } from "@modelcontextprotocol/client";
import { isObject, parseJson } from "@toolglot/internal";
import { isUsable, keepSent } from "./exact.ts";
import { maxTools } from "./listing.ts";
import type { ClientModule } from "./load-client.ts";
import { mendResult } from "./mend.ts";
import { mendedKey } from "./mended.ts";
import { inPlaceOfTask } from "./task-result.ts";

/** Characters of a line that is no message, and how many such lines are reported in a minute. */
const maxShown = 200;
const maxLines = 10;
/** Requests of the server at one time. */
const maxAsked = 1_000;

type Id = string | number;

/**
 * Filter that every message of a server passes, before the official client sees it: that drops a message for one odd field, and
 * with it the answer that a call waits for. A message with the id of a request that waits ends that request, whatever else it
 * holds; a result is mended by the protocol's own schema ({@link mendResult}); what is no message is reported to the host.
 */
export class Incoming {
  readonly #sdk: ClientModule;
  readonly #onNoise: (error: Error) => void;
  readonly #exact: boolean;
  readonly #tasks: boolean;
  /** The methods of the requests that wait, by their ids. */
  readonly #waiting = new Map<unknown, string>();
  /** The requests on whose streams the server's own came, by the ids of these. */
  readonly #streams = new Map<unknown, readonly Id[]>();
  /** The names in lists of tools, since somebody took them. */
  #toolNames: string[] = [];
  #minute = 0;
  #lines = 0;

  /** `exact`: what was sent is kept with what is read of it. `tasks`: calls may become tasks. */
  constructor(
    sdk: ClientModule,
    onNoise: (error: Error) => void,
    { exact = false, tasks = false }: { exact?: boolean; tasks?: boolean } = {},
  ) {
    this.#sdk = sdk;
    this.#exact = exact;
    this.#tasks = tasks;
    this.#onNoise = onNoise;
  }

  /** Records the requests that are sent. `parsed`: the transport is a stranger's, and passes messages that nothing has mended yet. */
  watch(transport: Transport, parsed: boolean): void {
    const send = transport.send.bind(transport);
    transport.send = (message, options) => {
      if ("method" in message) {
        if ("id" in message) this.#waiting.set(message.id, message.method);
        if (message.method === "notifications/cancelled") this.#waiting.delete(message.params?.requestId);
      }
      return send(message, options);
    };
    const { onmessage } = transport;
    if (parsed) {
      transport.onmessage = (message, extra) => {
        Object.assign(message, this.read(message));
        onmessage?.(message, extra);
      };
    }
  }

  /** Reads a message from its text; undefined for what is none, which is reported to the host. */
  readText(text: string): JSONRPCMessage | undefined {
    const line = text.replace(/^\ufeff/, "").trim();
    if (line === "") return undefined;
    const message = this.read(parseJson(line));
    if (message === undefined) this.#report(line);
    return message;
  }

  /** The same, of a stream that answers these requests. */
  readEvent(text: string, stream: readonly Id[]): JSONRPCMessage | undefined {
    const message = this.readText(text);
    if (message !== undefined && "method" in message && "id" in message && stream.length > 0) {
      // Of what nobody takes, the oldest goes.
      if (this.#streams.size >= maxAsked) this.#streams.delete(this.#streams.keys().next().value);
      this.#streams.set(message.id, stream);
    }
    return message;
  }

  /** Takes the requests on whose stream a request of the server came; none where it came by itself. */
  streamOf(id: unknown): readonly Id[] {
    const stream = this.#streams.get(id) ?? [];
    this.#streams.delete(id);
    return stream;
  }

  /** Returns a message as the official client takes it; undefined for what is none. */
  read(given: unknown): JSONRPCMessage | undefined {
    if (!isObject(given)) return undefined;
    const { method, id, params, result } = given;
    if (typeof method === "string") {
      if (isObject(params) && params._meta === null) delete params._meta;
      const asks = typeof id === "string" || typeof id === "number";
      return { jsonrpc: "2.0", ...(asks && { id }), method, ...(isObject(params) && { params }) } as JSONRPCMessage;
    }
    const known = this.#known(id);
    if (known === undefined) return this.#sdk.isJSONRPCResponse(given) ? given : undefined;
    const asked = this.#waiting.get(known);
    this.#waiting.delete(known);
    if (isObject(result)) return answer(known, { result: this.#mended(asked, result) });
    const error = errorIn(given);
    return error === undefined ? this.unanswered(known) : answer(known, { error });
  }

  /** Returns an error in place of an answer that holds nothing, or never came. Nobody knows what the server has done. */
  unanswered(id: Id, message = "its answer has neither a result nor an error"): JSONRPCMessage {
    return answer(id, { error: { code: -32603, message, data: { [mendedKey]: "unanswered" } } });
  }

  /** Returns the id as it was sent: some servers answer the number 5 as the text "5". */
  #known(id: unknown): Id | undefined {
    if (this.#waiting.has(id)) return id as Id;
    const number = typeof id === "string" && id !== "" ? Number(id) : undefined;
    return this.#waiting.has(number) ? number : undefined;
  }

  #mended(method: string | undefined, result: Record<string, unknown>): unknown {
    try {
      if (method === "tools/list") this.#toolNames.push(...namesIn(result));
      const task = method === "tools/call" && this.#tasks ? inPlaceOfTask(result) : undefined;
      if (task !== undefined) return task;
      if (!this.#exact || this.#sdk.isInputRequiredResult(result)) return mendResult(this.#sdk, method, result);
      if (method === "tools/call" && isUsable(result)) return result;
      const keep = keepSent(method, result);
      const mended = mendResult(this.#sdk, method, result);
      keep(mended);
      return mended;
    } catch {
      // Too deep to be walked through: the official client reports the fault.
      return result;
    }
  }

  /** Returns the names of the tools that were listed since the last time: the official client leaves some out. */
  takeToolNames(): string[] {
    return this.#toolNames.splice(0);
  }

  #report(line: string): void {
    const minute = Math.floor(performance.now() / 60_000);
    this.#lines = minute === this.#minute ? this.#lines + 1 : 1;
    this.#minute = minute;
    if (this.#lines > maxLines) return;
    const shown = line.length > maxShown ? `${line.slice(0, maxShown)}…` : line;
    this.#onNoise(new Error(`The server wrote what is no message: ${shown}`));
  }
}

function namesIn({ tools }: Record<string, unknown>): string[] {
  const all = Array.isArray(tools) ? tools.slice(0, maxTools) : [];
  return all.flatMap((tool) => (isObject(tool) && typeof tool.name === "string" && tool.name !== "" ? tool.name : []));
}

/** Checks whether an error stands for an answer that nobody could read. */
export function isUnanswered(error: unknown): boolean {
  const { data } = (error ?? {}) as { data?: unknown };
  return isObject(data) && data[mendedKey] === "unanswered";
}

function answer(id: Id, rest: object): JSONRPCMessage {
  return { jsonrpc: "2.0", id, ...rest } as JSONRPCMessage;
}

/** Returns an error with the two fields that it needs. */
function errorIn({ error }: Record<string, unknown>): object | undefined {
  if (error === undefined || error === null) return undefined;
  const { code, message, data } = isObject(error)
    ? error
    : { code: undefined, message: String(error), data: undefined };
  const number = Number.isInteger(Number(code)) && code !== null && code !== "" ? Number(code) : -32603;
  const text = typeof message === "string" ? message : "it gave an error without words";
  return { code: number, message: text, ...(data !== undefined && data !== null && { data }) };
}

/**
 * Returns a `fetch` whose answers are mended: bodies of JSON, and streams of events. `answersHere`: what a POST asks is answered by its
 * response, so that a request that the response leaves out is one that nobody answers any more.
 */
export function mendAnswers(fetch: FetchLike, incoming: Incoming, answersHere: boolean): FetchLike {
  return async (url, init) => {
    const response = await fetch(url, init);
    const type = response.headers.get("content-type") ?? "";
    if (!response.ok) return response;
    const asked = requestsIn(init?.body);
    if (/^text\/event-stream\b/i.test(type)) return withBody(response, mendedEvents(response, incoming, asked));
    const isJson = /\bjson\b/i.test(type);
    if (asked.length === 0 || !answersHere || !(isJson || response.status === 202 || response.status === 204)) {
      return response;
    }
    const body = isJson ? parseJson((await response.text()).replace(/^\ufeff/, "")) : undefined;
    const given = [body].flat().flatMap((one) => incoming.read(one) ?? []);
    const left = asked.filter((id) => !given.some((one) => "id" in one && !("method" in one) && one.id === id));
    const none = `the server answered HTTP ${response.status} without an answer to the request`;
    const all = [...given, ...left.map((id) => incoming.unanswered(id, none))];
    return withBody(response, JSON.stringify(all.length === 1 ? all[0] : all), 200);
  };
}

/** Returns the ids of what a body of JSON-RPC asks. */
function requestsIn(body: unknown): Id[] {
  if (typeof body !== "string") return [];
  const messages = [parseJson(body)].flat();
  return messages.flatMap((one) => (isObject(one) && typeof one.method === "string" ? ((one.id as Id) ?? []) : []));
}

/** Returns a stream of events, each with its data mended; what is no message stays as it is. */
function mendedEvents({ body }: Response, incoming: Incoming, asked: readonly Id[]): ReadableStream<Uint8Array> | null {
  if (body === null || typeof body.pipeThrough !== "function") return body;
  let pieces: string[] = [];
  let tail = "";
  const decoder = new TextDecoder();
  const encoder = new TextEncoder();
  /** Returns the events that have ended. A long one is put together once, however many pieces it comes in. */
  const take = (text: string): string => {
    const end = /\r\n\r\n|\n\n|\r\r(?!\n)/g;
    const isEnding = end.test(tail + text);
    pieces.push(text);
    tail = (tail + text).slice(-3);
    if (!isEnding) return "";
    const rest = pieces.join("");
    let from = 0;
    let out = "";
    end.lastIndex = 0;
    for (let match = end.exec(rest); match !== null; match = end.exec(rest)) {
      out += mendedEvent(rest.slice(from, match.index), incoming, asked) + match[0];
      from = end.lastIndex;
    }
    pieces = [rest.slice(from)];
    return out;
  };
  return body.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform: (chunk, controller) => {
        const out = take(decoder.decode(chunk, { stream: true }));
        if (out !== "") controller.enqueue(encoder.encode(out));
      },
      flush: (controller) => {
        const rest = pieces.join("");
        if (rest !== "") controller.enqueue(encoder.encode(rest));
      },
    }),
  );
}

function mendedEvent(event: string, incoming: Incoming, asked: readonly Id[]): string {
  const lines = event.split(/\r\n|\r|\n/);
  const isData = (line: string): boolean => /^data(?::|$)/.test(line);
  const data = lines.filter(isData).map((line) => line.replace(/^data:? ?/, ""));
  const names = lines.some((line) => /^event:(?! ?message$)/.test(line));
  if (data.length === 0 || names || data.join("") === "") return event;
  const message = incoming.readEvent(data.join("\n"), asked);
  if (message === undefined) return event;
  return [...lines.filter((line) => !isData(line)), `data: ${JSON.stringify(message)}`].join("\n");
}

/** Returns the same response with another body. */
export function withBody(
  { url, status, statusText, headers }: Response,
  body: ReadableStream<Uint8Array> | string | null,
  as: number = status,
): Response {
  const own = new Headers(headers);
  if (typeof body === "string") {
    own.set("content-type", "application/json");
    own.delete("content-length");
    own.delete("content-encoding");
  }
  return Object.defineProperty(new Response(body, { status: as, statusText, headers: own }), "url", { value: url });
}
