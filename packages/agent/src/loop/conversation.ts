import { type Message, messageText, type ToolProtocol, type ToolResult, textMessage } from "@toolglot/core";
import type { AgentEvent } from "../events.ts";
import { canonicalJson, plainJson } from "../plain-json.ts";
import { fitted, pairResults, type Unpaired } from "./call-parts.ts";
import { lengthOf, tokensOf } from "./estimate.ts";

/**
 * The messages of a conversation, and their form for the provider. Each message is copied as plain JSON and encoded once, when it is added.
 * A request is a new list of the same objects. Its event holds only the messages that are new since the request before.
 */
export class Conversation {
  readonly #protocol: ToolProtocol;
  readonly #messages: Message[] = [];
  readonly #new: Message[] = [];
  /** The same as requests have them: with long results cut, and without what was left out to save room. */
  #shown: Message[] = [];
  /** How many of `#shown` have been seen by {@link Conversation.showNew}. */
  #seen = 0;
  /** Text for a call whose result is missing. */
  readonly #noResult: string;
  #unpaired: Unpaired = { missing: [], twice: [] };
  #encoded: Message[] = [];
  /** How many of `#shown` are in `#encoded`. */
  #done = 0;
  /** How many messages the last request had, and how many of those are at the start of `#encoded` as they were. */
  #asked = 0;
  #same = 0;
  /** The list that the last request was the beginning of, and how many it had of it. */
  #request: { list: readonly Message[]; count: number } = { list: [], count: 0 };
  /** The system message of {@link instruct}: the first of `#messages` when there is one. */
  #manual: Message | undefined;

  constructor(protocol: ToolProtocol, messages: readonly Message[], noResult: string) {
    this.#protocol = protocol;
    this.#noResult = noResult;
    this.add(...messages);
  }

  /** Returns the messages that were added since the last call of this. */
  takeNew(): Message[] {
    return this.#new.splice(0);
  }

  /** All messages in order; a copy. */
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

  /** Replaces messages that were added since the last time, for requests. Nothing may be added meanwhile. */
  async showNew(change: (message: Message) => Message | Promise<Message>): Promise<void> {
    for (; this.#seen < this.#shown.length; this.#seen += 1) {
      const message = this.#shown[this.#seen] as Message;
      const changed = change(message);
      if (changed !== message) this.#shown[this.#seen] = plainJson(await changed);
    }
  }

  /** All messages as requests have them, calls and results as parts. */
  get shown(): readonly Message[] {
    return this.#shown;
  }

  /** Replaces the messages of requests from now on; the transcript stays. The event of the next request then holds all of them. */
  show(messages: readonly Message[]): void {
    this.#shown = messages.map(plainJson);
    this.#seen = this.#shown.length;
    this.#forget();
  }

  /** Tokens of the next request, estimated by its characters. */
  get tokens(): number {
    return tokensOf(lengthOfAll(this.encoded));
  }

  /** Characters of the last request. */
  get askedLength(): number {
    const { list, count } = this.#request;
    return lengthOfAll(list.slice(0, count));
  }

  /** All messages as the provider gets them. */
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
    // A conversation that is continued has it already.
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
  }

  /** Returns all messages as the provider gets them, and what is new in them. */
  request(): {
    messages: Message[];
    news: Pick<Extract<AgentEvent, { type: "request" }>, "from" | "messages" | "total">;
  } {
    this.#encode();
    const from = Math.min(this.#same, this.#asked);
    this.#asked = this.#encoded.length;
    this.#same = this.#asked;
    this.#request = { list: this.#encoded, count: this.#asked };
    const news = { from, messages: this.#encoded.slice(from), total: this.#asked };
    return { messages: [...this.#encoded], news };
  }

  /** All messages as the next request has them, less the system message. */
  get dialogue(): readonly Message[] {
    return this.#manual === undefined ? this.#shown : this.#shown.slice(1);
  }

  /** Returns a request beside the others, in another protocol or of other messages; the one after it holds all of its own again. */
  requestApart(
    protocol: ToolProtocol,
    system: string,
    said: readonly Message[] = this.dialogue,
  ): ReturnType<Conversation["request"]> {
    const whole = system === "" ? said : [textMessage("system", system), ...said];
    const messages = this.#encodeFor(protocol, whole).map((message) => plainJson(message));
    this.#asked = messages.length;
    this.#same = 0;
    const copy = [...messages];
    this.#request = { list: copy, count: copy.length };
    return { messages, news: { from: 0, messages: copy, total: messages.length } };
  }

  *[Symbol.iterator](): Generator<Message> {
    yield* this.#messages;
  }

  #encode(): void {
    if (this.#protocol.encodeMessage) this.#encodeNew();
    else this.#same = Math.min(this.#same, this.#encodeAll());
  }

  /** Encodes what is new. That is whole turns: results come with the answer that they belong to. */
  #encodeNew(): void {
    const fresh = this.#shown.slice(this.#done);
    this.#done = this.#shown.length;
    for (const message of this.#paired(this.#protocol, fresh)) {
      for (const encoded of this.#protocol.encodeMessage?.(message, fitted) ?? [])
        this.#encoded.push(plainJson(encoded));
    }
  }

  /** Encodes a whole conversation. */
  #encodeFor(protocol: ToolProtocol, messages: readonly Message[]): Message[] {
    return protocol.encodeMessages(this.#paired(protocol, messages), fitted);
  }

  /** Returns the calls that had not exactly one result in the given messages, since the last call of this. */
  takeUnpaired(): Unpaired {
    const found = this.#unpaired;
    this.#unpaired = { missing: [], twice: [] };
    return found;
  }

  /** Encodes all, for a protocol that can only do that. Encoded messages that did not change stay the same objects; returns their number. */
  #encodeAll(): number {
    const before = this.#encoded;
    this.#encoded = [];
    let same = 0;
    for (const [index, encoded] of this.#encodeFor(this.#protocol, this.#shown).entries()) {
      const old = before[index];
      const isSame = old !== undefined && (old === encoded || canonicalJson(old) === canonicalJson(encoded));
      if (isSame && same === index) same += 1;
      this.#encoded.push(isSame ? old : plainJson(encoded));
    }
    return same;
  }

  /** Pairs calls with results, where they are parts. */
  #paired(protocol: ToolProtocol, messages: readonly Message[]): readonly Message[] {
    return protocol.declaresTools ? pairResults(protocol, messages, this.#noResult, this.#unpaired) : messages;
  }
}

const lengthOfAll = (messages: readonly Message[]): number =>
  messages.reduce((sum, message) => sum + lengthOf(message), 0);

/** Returns the message with the results of a step. */
export function resultMessage(results: readonly ToolResult[]): Message {
  return { role: "tool", trust: "untrusted", parts: results.map((result) => ({ type: "result", result })) };
}
