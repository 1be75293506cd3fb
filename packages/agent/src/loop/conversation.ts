import { type Message, messageText, type ToolProtocol, textMessage } from "@toolglot/core";
import type { AgentEvent } from "../events.ts";
import { canonicalJson, plainJson, textLength } from "../plain-json.ts";

/**
 * The messages of a conversation, and their form for the provider. Each message is copied as plain JSON and encoded
 * once, when it is added. A request is a new list of the same objects. Its event holds only the messages that are new
 * since the request before.
 */
export class Conversation {
  readonly #protocol: ToolProtocol;
  readonly #messages: Message[] = [];
  #encoded: Message[] = [];
  /** How many messages are in `#encoded`. */
  #done = 0;
  /** What the last request held. */
  #asked = 0;
  /** Characters of `#encoded`, for those that count tokens by them. */
  requestLength: number = 0;
  /** The system message of {@link instruct}: the first of `#messages` when there is one. */
  #manual: Message | undefined;

  constructor(protocol: ToolProtocol, messages: readonly Message[]) {
    this.#protocol = protocol;
    this.add(...messages);
  }

  /** In order; a copy. */
  get messages(): Message[] {
    return [...this.#messages];
  }

  add(...messages: Message[]): void {
    for (const message of messages) this.#messages.push(plainJson(message));
  }

  /**
   * Sets the system message, before all others; `""`: none. A new text replaces the old one, because two versions of a
   * manual would contradict each other; the event of the next request then holds all messages. The same text changes
   * nothing, so that the provider's cache still fits.
   */
  instruct(text: string): void {
    const [first] = this.#messages;
    // A conversation that goes on has it already.
    if (this.#manual === undefined && first?.role === "system" && messageText(first) === text) this.#manual = first;
    if (text === (this.#manual === undefined ? "" : messageText(this.#manual))) return;
    if (this.#manual !== undefined) this.#messages.shift();
    this.#manual = text === "" ? undefined : plainJson(textMessage("system", text));
    if (this.#manual !== undefined) this.#messages.unshift(this.#manual);
    this.#encoded = [];
    this.#done = 0;
    this.#asked = 0;
    this.requestLength = 0;
  }

  /** All messages as the provider gets them, and what is new in them. */
  request(): {
    messages: Message[];
    news: Pick<Extract<AgentEvent, { type: "request" }>, "from" | "messages" | "total">;
  } {
    const from = this.#protocol.encodeMessage ? this.#encodeNew() : this.#encodeAll();
    this.#asked = this.#encoded.length;
    const news = { from, messages: this.#encoded.slice(from), total: this.#asked };
    return { messages: [...this.#encoded], news };
  }

  *[Symbol.iterator](): Generator<Message> {
    yield* this.#messages;
  }

  #encodeNew(): number {
    for (; this.#done < this.#messages.length; this.#done += 1) {
      const message = this.#messages[this.#done] as Message;
      for (const encoded of this.#protocol.encodeMessage?.(message) ?? []) this.#take(plainJson(encoded));
    }
    return this.#asked;
  }

  /** For a protocol that encodes the whole conversation: encoded messages that did not change stay the same objects. */
  #encodeAll(): number {
    const before = this.#encoded;
    this.#encoded = [];
    this.requestLength = 0;
    let same = 0;
    for (const [index, encoded] of this.#protocol.encodeMessages(this.messages).entries()) {
      const old = before[index];
      const isSame = old !== undefined && (old === encoded || canonicalJson(old) === canonicalJson(encoded));
      if (isSame && same === index) same += 1;
      this.#take(isSame ? old : plainJson(encoded));
    }
    return Math.min(same, this.#asked);
  }

  #take(encoded: Message): void {
    this.#encoded.push(encoded);
    this.requestLength += lengthOf(encoded);
  }
}

const lengths = new WeakMap<Message, number>();

function lengthOf(message: Message): number {
  let length = lengths.get(message);
  if (length === undefined) {
    length = message.parts.reduce((sum, part) => sum + ("text" in part ? part.text.length : textLength(part)), 0);
    lengths.set(message, length);
  }
  return length;
}
