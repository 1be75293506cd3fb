import { isObject, onAbort } from "@toolglot/internal";
import type { RequestFrame } from "@toolglot/trp-core/frames";
import { clientError } from "./errors.ts";
import { clock } from "./limits.ts";
import type { SendOptions, Transport } from "./transport-types.ts";

/** A connection that carries frames both ways. */
export interface Link {
  send(text: string): void;
  /** Ends it, without waiting. What comes afterwards is not looked at. */
  drop(): void;
  /** Ends it in order. */
  close(): Promise<void> | void;
}

/** What a connection reports. */
export interface LinkEvents {
  /** A message came. Not a text: undefined. */
  message(text: string | undefined): void;
  /** It is over; no more comes. `code`: of a WebSocket. */
  over(why: string, code?: number): void;
}

/** A frame of the router in place of a connection: it refused it. */
export interface Refused {
  readonly refused: unknown;
}

/** Opens a connection. Rejects with `trp-client/unreachable` when there is none. */
export type OpenLink = (events: LinkEvents) => Promise<Link | Refused>;

/** A connection on which nothing came for so long is not trusted any more once an answer stays away. Milliseconds. */
const silenceMs = 5_000;
/** The code of a WebSocket that is closed because a message was too large (RFC 6455, 7.4.1). */
const tooLargeCode = 1009;

/** Frames over one connection, which is opened with the first of them, and again with the next one after it was lost. */
export function linkTransport(open: OpenLink, noFrame: string): Transport {
  let current: Promise<FrameLink | Refused> | undefined;
  let isClosed = false;

  async function connect(): Promise<FrameLink | Refused> {
    const link = new FrameLink(noFrame, () => {
      if (current === opening) current = undefined;
    });
    const opening: Promise<FrameLink | Refused> = open(link).then(
      (opened) => {
        if (!("refused" in opened)) return link.begin(opened);
        link.over("it was refused");
        return opened;
      },
      (error: unknown) => {
        link.over("it could not be opened");
        throw error;
      },
    );
    current = opening;
    return await opening;
  }

  return {
    streams: true,
    async send(frame, sending) {
      // A frame that can't be written is the caller's mistake, and throws as one.
      const text = JSON.stringify(frame);
      if (isClosed) throw closed();
      const aborted = new Aborted(sending);
      try {
        const link = await aborted.unless(current ?? connect());
        if (isClosed) throw closed();
        if ("refused" in link) return link.refused;
        return await link.exchange(frame, text, sending, aborted);
      } finally {
        aborted.end();
      }
    },
    async close() {
      isClosed = true;
      const link = await current?.catch(() => undefined);
      if (link !== undefined && !("refused" in link)) await link.close();
    },
  };
}

function closed(): Error {
  return clientError("trp-client/unreachable", "The transport was closed.");
}

/** A frame that is no longer waited for: the one function that runs then, whatever phase the frame is in. */
class Aborted {
  readonly #stopListening: () => void = () => {};
  act: (() => void) | undefined;
  #isAborted = false;
  readonly #run = (): void => {
    this.#isAborted = true;
    this.act?.();
  };

  constructor(sending: SendOptions) {
    if (sending.onAbort !== undefined) sending.onAbort(this.#run);
    else this.#stopListening = onAbort(sending.signal, this.#run);
  }

  /** Settles as the connecting does; rejects with `unreachable` when the frame is given up before. */
  unless<Value>(connecting: Promise<Value>): Promise<Value> {
    return new Promise((resolve, reject) => {
      this.act = () => reject(clientError("trp-client/unreachable", "There was no connection in time."));
      if (this.#isAborted) this.act();
      connecting.then(resolve, reject);
    });
  }

  end(): void {
    this.act = undefined;
    this.#stopListening();
  }
}

/** A frame on its way. */
interface Waiting {
  readonly frame: RequestFrame;
  readonly bytes: number;
  /** Undefined when nobody waits any more. */
  settle: { resolve(answer: unknown): void; reject(error: unknown): void } | undefined;
  readonly onPartial: SendOptions["onPartial"];
  /** Whether the router has announced the answer. */
  isAccepted: boolean;
}

/** The frames of one connection. */
class FrameLink implements LinkEvents {
  readonly #noFrame: string;
  readonly #onOver: () => void;
  readonly #waiting = new Map<string, Waiting>();
  #link: Link | undefined;
  #overWhy: string | undefined;
  #heardAt = clock();

  constructor(noFrame: string, onOver: () => void) {
    this.#noFrame = noFrame;
    this.#onOver = onOver;
  }

  begin(link: Link): this {
    this.#link = link;
    return this;
  }

  exchange(frame: RequestFrame, text: string, { onPartial }: SendOptions, aborted: Aborted): Promise<unknown> {
    return new Promise((resolve, reject) => {
      if (this.#overWhy !== undefined) {
        reject(clientError("trp-client/unreachable", `The connection was lost: ${this.#overWhy}.`));
        return;
      }
      const sentAt = clock();
      const settle = { resolve, reject };
      const waiting: Waiting = { frame, bytes: text.length, settle, onPartial, isAccepted: false };
      this.#waiting.set(frame.frame_id, waiting);
      aborted.act = () => {
        waiting.settle = undefined;
        reject(clientError("trp-client/no-answer", "The router gave no answer: it was no longer waited for."));
        // A connection can be dead without a sign of it.
        if (clock() - Math.max(sentAt, this.#heardAt) >= silenceMs) this.#drop("nothing came on it any more");
      };
      this.#link?.send(text);
    });
  }

  async close(): Promise<void> {
    await this.#link?.close();
    this.over("the transport was closed");
  }

  message(text: string | undefined): void {
    this.#heardAt = clock();
    let frame: unknown;
    try {
      frame = text === undefined ? undefined : JSON.parse(text);
    } catch {
      // No frame: below.
    }
    if (isObject(frame) && typeof frame.frame_type === "string" && isObject(frame.payload)) {
      this.#take(frame as unknown as AnyFrame);
      return;
    }
    const shown = text === undefined ? "" : `: ${JSON.stringify(text.length > 200 ? `${text.slice(0, 200)}…` : text)}`;
    const error = clientError("trp-client/bad-answer", `${this.#noFrame}${shown}`, { data: { permanent: true } });
    for (const { settle } of this.#waiting.values()) settle?.reject(error);
    this.#waiting.clear();
    this.#drop("what came on it was no frame");
  }

  over(why: string, code?: number): void {
    if (this.#overWhy !== undefined) return;
    this.#overWhy = why;
    this.#onOver();
    const all = [...this.#waiting.values()];
    this.#waiting.clear();
    if (code === tooLargeCode) {
      // One of them was, so the largest one was; and what is too large is not read.
      const largest = all.toSorted((one, other) => other.bytes - one.bytes)[0];
      largest?.settle?.reject(
        clientError("trp-client/bad-answer", "The frame is larger than the router takes.", {
          data: { permanent: true, outcome: "not-sent" },
        }),
      );
    }
    const error = clientError("trp-client/no-answer", `The router gave no answer: ${why}.`);
    for (const { settle } of all) settle?.reject(error);
  }

  #drop(why: string): void {
    this.over(why);
    this.#link?.drop();
  }

  #take(frame: AnyFrame): void {
    const waiting = this.#find(frame);
    // Late, and given up.
    if (waiting === undefined) return;
    if (isAnswer(frame, waiting)) {
      this.#waiting.delete(waiting.frame.frame_id);
      waiting.settle?.resolve(frame);
      return;
    }
    if (frame.frame_type === "ACK") waiting.isAccepted = true;
    try {
      if (waiting.settle !== undefined) waiting.onPartial?.(frame);
    } catch (error) {
      waiting.settle?.reject(error);
      waiting.settle = undefined;
    }
  }

  #find({ frame_type: type, frame_id: id, payload }: AnyFrame): Waiting | undefined {
    const of = type === "NACK" ? payload.nack_of_frame_id : type === "ACK" ? payload.ack_of_frame_id : undefined;
    if (typeof of === "string") return this.#waiting.get(of);
    // The router could not read whom it refuses.
    if (type === "NACK" && this.#waiting.size === 1) return this.#waiting.values().next().value;
    return typeof id === "string" && id.startsWith("res_") ? this.#waiting.get(id.slice(4)) : undefined;
  }
}

interface AnyFrame {
  frame_type: string;
  frame_id?: unknown;
  payload: Record<string, unknown>;
}

/**
 * Checks whether a frame is the answer, or comes before it. An ACK with ACCEPTED announces the answer, unless the call is ASYNC: then
 * it is the answer. Partial results come before the answer of a call, and of a question whose answer was announced.
 */
function isAnswer({ frame_type: type, payload }: AnyFrame, { frame, isAccepted }: Waiting): boolean {
  if (type === "ACK") {
    const isAsync = frame.frame_type === "CALL_REQ" && frame.payload.execution_mode === "ASYNC";
    return isAsync || payload.status !== "ACCEPTED";
  }
  return type !== "PARTIAL_RESULT" || (frame.frame_type === "RESULT_QUERY_REQ" && !isAccepted);
}
