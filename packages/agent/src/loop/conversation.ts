import { type Message, messageText, type ToolProtocol, textMessage } from "@toolglot/core";
import { lengthOf, tokensOf } from "../context/estimate.ts";
import type { AgentEvent } from "../events.ts";
import { canonicalJson, plainJson } from "../plain-json.ts";
import { fitted, pairResults, type Unpaired } from "./call-parts.ts";

/**
 * The messages of a conversation, and their form for the provider. Each message is copied as plain JSON and encoded
 * once, when it is added. A request is a new list of the same objects. Its event holds only the messages that are new
 * since the request before.
 */
export class Conversation {
  readonly #protocol: ToolProtocol;
  readonly #messages: Message[] = [];
  readonly #new: Message[] = [];
  /** The same as requests have them: long results are cut, and what was left out to save room is not there. */
  #shown: Message[] = [];
  /** How many of `#shown` have been seen by {@link Conversation.showNew}. */
  #seen = 0;
  /** Says that the result of a call is not there. */
  readonly #noResult: string;
  #unpaired: Unpaired = { missing: [], twice: [] };
  #encoded: Message[] = [];
  /** How many of `#shown` are in `#encoded`. */
  #done = 0;
  /** What the last request held, and how many of those stand at the start of `#encoded` as they were. */
  #asked = 0;
  #same = 0;
  /** Characters of `#encoded`, for those that count tokens by them. */
  requestLength: number = 0;
  /** The same of the last request. */
  askedLength = 0;
  /** The system message of {@link instruct}: the first of `#messages` when there is one. */
  #manual: Message | undefined;

  constructor(protocol: ToolProtocol, messages: readonly Message[], noResult: string) {
    this.#protocol = protocol;
    this.#noResult = noResult;
    this.add(...messages);
  }

  /** Those that were added since this was asked last. */
  takeNew(): Message[] {
    return this.#new.splice(0);
  }

  /** In order; a copy. */
  get messages(): Message[] {
    return [...this.#messages];
  }

  add(...messages: Message[]): void {
    for (const one of messages) {
      const message = plainJson(one);
      this.#messages.push(message);
      this.#new.push(message);
      this.#shown.push(message);
    }
  }

  /** Lets messages that were added since the last time be shown otherwise than they are. Nothing may be added meanwhile. */
  async showNew(change: (message: Message) => Message | Promise<Message>): Promise<void> {
    for (; this.#seen < this.#shown.length; this.#seen += 1) {
      const message = this.#shown[this.#seen] as Message;
      const changed = change(message);
      if (changed !== message) this.#shown[this.#seen] = plainJson(await changed);
    }
  }

  /** As requests have them, calls and results as parts. */
  get shown(): readonly Message[] {
    return this.#shown;
  }

  /** Shows other messages from now on; the transcript stays. The event of the next request then holds all of them. */
  show(messages: readonly Message[]): void {
    this.#shown = messages.map(plainJson);
    this.#seen = this.#shown.length;
    this.#forget();
  }

  /** Tokens of the next request, reckoned by its characters. */
  get tokens(): number {
    this.#encode();
    return tokensOf(this.requestLength);
  }

  /** As the provider gets them. */
  get encoded(): readonly Message[] {
    this.#encode();
    return this.#encoded;
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
    for (const list of [this.#messages, this.#shown]) if (this.#manual !== undefined) list.shift();
    const before = this.#manual === undefined ? 0 : 1;
    this.#manual = text === "" ? undefined : plainJson(textMessage("system", text));
    for (const list of [this.#messages, this.#shown]) if (this.#manual !== undefined) list.unshift(this.#manual);
    if (this.#seen > 0) this.#seen += (this.#manual === undefined ? 0 : 1) - before;
    this.#forget();
  }

  #forget(): void {
    this.#encoded = [];
    this.#done = 0;
    this.#asked = 0;
    this.#same = 0;
    this.requestLength = 0;
  }

  /** All messages as the provider gets them, and what is new in them. */
  request(): {
    messages: Message[];
    news: Pick<Extract<AgentEvent, { type: "request" }>, "from" | "messages" | "total">;
  } {
    this.#encode();
    const from = Math.min(this.#same, this.#asked);
    this.#asked = this.#encoded.length;
    this.#same = this.#asked;
    this.askedLength = this.requestLength;
    const news = { from, messages: this.#encoded.slice(from), total: this.#asked };
    return { messages: [...this.#encoded], news };
  }

  /** As the next request has them, less the system message. */
  get said(): readonly Message[] {
    return this.#manual === undefined ? this.#shown : this.#shown.slice(1);
  }

  /** A request beside the others, in another protocol or of other messages; the one after it holds all of its own again. */
  requestApart(
    protocol: ToolProtocol,
    system: string,
    said: readonly Message[] = this.said,
  ): ReturnType<Conversation["request"]> {
    const whole = system === "" ? said : [textMessage("system", system), ...said];
    const messages = this.#encodeFor(protocol, whole).map((message) => plainJson(message));
    this.#asked = messages.length;
    this.#same = 0;
    this.askedLength = messages.reduce((sum, message) => sum + lengthOf(message), 0);
    return { messages, news: { from: 0, messages: [...messages], total: messages.length } };
  }

  *[Symbol.iterator](): Generator<Message> {
    yield* this.#messages;
  }

  #encode(): void {
    if (this.#protocol.encodeMessage) this.#encodeNew();
    else this.#same = Math.min(this.#same, this.#encodeAll());
  }

  /** What is new is whole turns: results come with the answer that they belong to. */
  #encodeNew(): void {
    const fresh = this.#shown.slice(this.#done);
    this.#done = this.#shown.length;
    for (const message of pairResults(this.#protocol, fresh, this.#noResult, this.#unpaired)) {
      for (const encoded of this.#protocol.encodeMessage?.(message, fitted) ?? []) this.#take(plainJson(encoded));
    }
  }

  /** A whole conversation as a protocol writes it. */
  #encodeFor(protocol: ToolProtocol, messages: readonly Message[]): Message[] {
    return protocol.encodeMessages(pairResults(protocol, messages, this.#noResult, this.#unpaired), fitted);
  }

  /** Calls that had not exactly one result in the messages that were given, since this was asked last. */
  takeUnpaired(): Unpaired {
    const found = this.#unpaired;
    this.#unpaired = { missing: [], twice: [] };
    return found;
  }

  /** For a protocol that encodes the whole conversation: encoded messages that did not change stay the same objects. */
  #encodeAll(): number {
    const before = this.#encoded;
    this.#encoded = [];
    this.requestLength = 0;
    let same = 0;
    for (const [index, encoded] of this.#encodeFor(this.#protocol, this.#shown).entries()) {
      const old = before[index];
      const isSame = old !== undefined && (old === encoded || canonicalJson(old) === canonicalJson(encoded));
      if (isSame && same === index) same += 1;
      this.#take(isSame ? old : plainJson(encoded));
    }
    return same;
  }

  #take(encoded: Message): void {
    this.#encoded.push(encoded);
    this.requestLength += lengthOf(encoded);
  }
}
