import type { Message, ProtocolMode } from "@toolglot/core";
import { checkKeys } from "@toolglot/internal";
import { plainJson } from "../plain-json.ts";
import { toMessages } from "../to-messages.ts";
import type { Steering } from "../types.ts";

/** What joins the conversation at once. */
interface Injection {
  kind: "steer" | "follow-up";
  messages: Message[];
}

/** What the host says, as messages of the user, or of nobody who is trusted. Throws `TypeError` for empty input. */
export function saidBy(input: Parameters<Steering["steer"]>[0]): Message[] {
  const messages = toMessages(typeof input === "object" && "parts" in input ? [input] : input);
  return messages.map((message) =>
    plainJson(message.trust === "host" ? { ...message, trust: "user" as const } : message),
  );
}

/** What the host says while a run goes on, until it is delivered. */
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

  /** Takes what is to be said before a request: at the end of a conversation also what was to wait for that. */
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

  /** Nothing is taken any more. What waits still was not said. */
  close(): Message[] {
    this.#closed = true;
    return this.#waiting.flatMap(({ messages }) => messages);
  }

  #take(kind: Injection["kind"], input: Parameters<Steering["steer"]>[0]): boolean {
    const name = kind === "steer" ? "steer" : "followUp";
    if (this.#mode === "single") throw new TypeError(`${name}: in single mode there is no next request.`);
    const messages = saidBy(input);
    if (this.#closed) return false;
    this.#waiting.push({ kind, messages });
    return true;
  }
}
