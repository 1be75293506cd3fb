import { type Message, type ProtocolMode, textMessage } from "@toolglot/core";
import { checkKeys } from "@toolglot/internal";
import { plainJson } from "../plain-json.ts";
import type { Steering } from "../result.ts";

/** Returns input as messages. Throws `TypeError` for input that is empty, or no message. */
export function toMessages(input: string | readonly Message[]): Message[] {
  if (typeof input === "string") {
    if (input.trim() === "") throw new TypeError("The input is empty: pass the user's request, or messages.");
    return [textMessage("user", input)];
  }
  if (!Array.isArray(input) || input.length === 0) {
    throw new TypeError("The input must be a non-empty string or a non-empty array of messages.");
  }
  for (const message of input as Message[]) {
    if (!Array.isArray(message?.parts) || !message.role || !message.trust) {
      throw new TypeError(
        "Each message needs role, parts and trust; textMessage(role, text) of @toolglot/core makes one.",
      );
    }
  }
  return [...input];
}

/** Messages that join the conversation together. */
interface Injection {
  kind: "steer" | "follow-up";
  messages: Message[];
}

/** Returns the host's input as messages of the user, or of nobody who is trusted. Throws `TypeError` for empty input. */
export function hostMessages(input: Parameters<Steering["steer"]>[0]): Message[] {
  const messages = toMessages(typeof input === "object" && input !== null && "parts" in input ? [input] : input);
  return messages.map((message) =>
    plainJson(message.trust === "host" ? { ...message, trust: "user" as const } : message),
  );
}

/** Messages of the host to a run under way, until they are delivered. */
export class Injected implements Steering {
  readonly #mode: ProtocolMode;
  #waiting: Injection[] = [];
  #closed = false;
  #answer = new AbortController();

  constructor(mode: ProtocolMode) {
    this.#mode = mode;
  }

  steer(input: Parameters<Steering["steer"]>[0], options: { interrupt?: boolean } = {}): boolean {
    checkKeys("steer", options, "interrupt:boolean");
    const isTaken = this.#take("steer", input);
    if (isTaken && options.interrupt === true) this.#answer.abort();
    return isTaken;
  }

  followUp(input: Parameters<Steering["followUp"]>[0]): boolean {
    return this.#take("follow-up", input);
  }

  /** Aborted when the model's answer is to end; a new one for each answer. */
  get answerSignal(): AbortSignal {
    return this.#answer.signal;
  }

  /** Takes the messages that are due before a request: at the end of a conversation also those that wait for it. */
  take(isEnd: boolean): Injection[] {
    const due = this.#waiting.filter(({ kind }) => kind === "steer");
    const taken = due.length > 0 || !isEnd ? due : this.#waiting;
    this.#waiting = this.#waiting.filter((one) => !taken.includes(one));
    this.#answer = new AbortController();
    return taken;
  }

  get isEmpty(): boolean {
    return this.#waiting.length === 0;
  }

  /** Takes nothing from now on. Returns the messages that were not delivered. */
  close(): Message[] {
    this.#closed = true;
    return this.#waiting.flatMap(({ messages }) => messages);
  }

  #take(kind: Injection["kind"], input: Parameters<Steering["steer"]>[0]): boolean {
    const name = kind === "steer" ? "steer" : "followUp";
    if (this.#mode === "single") throw new TypeError(`${name}: in single mode there is no next request.`);
    const messages = hostMessages(input);
    if (this.#closed) return false;
    this.#waiting.push({ kind, messages });
    return true;
  }
}
