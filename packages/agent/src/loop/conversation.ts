import type { Message, ToolProtocol } from "@toolglot/core";
import type { RequestEvent } from "../events.ts";
import { canonicalJson, plainJson, textLength } from "../plain-json.ts";

/**
 * What was said, and how the provider gets it. Each message is made plain JSON and encoded once, when it comes in; a request
 * is a new list of the same objects, and its event holds only those that the request before did not have.
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
  #length = 0;

  constructor(protocol: ToolProtocol, messages: readonly Message[]) {
    this.#protocol = protocol;
    this.add(...messages);
  }

  /** In order; a copy. */
  get messages(): Message[] {
    return [...this.#messages];
  }

  get first(): Message | undefined {
    return this.#messages[0];
  }

  /** Characters of the request that was made last. */
  get requestLength(): number {
    return this.#length;
  }

  add(...messages: Message[]): void {
    for (const message of messages) this.#messages.push(plainJson(message));
  }

  /** Puts a message before all others; only as long as nothing was asked. */
  addFirst(message: Message): void {
    this.#messages.unshift(plainJson(message));
  }

  /** All messages as the provider gets them, and what is new in them. */
  request(): { messages: Message[]; news: Pick<RequestEvent, "from" | "messages" | "total"> } {
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

  /** A protocol that reads the conversation as a whole: what it gives again is kept as it was. */
  #encodeAll(): number {
    const before = this.#encoded;
    this.#encoded = [];
    this.#length = 0;
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
    this.#length += lengthOf(encoded);
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
