/** Calls in flight that are kept of one conversation; of older ones nobody will know. */
const maxWaiting = 10_000;

interface Conversation {
  /** Answers of the model that began so far. */
  answers: number;
  /** The last one to speak was the model, in this answer. */
  isModel: boolean;
  answer: string | undefined;
  /** By call id: the call's number, and the answer that it stands in. */
  waiting: Map<string, { call: number; answer: number }>;
}

/** Finds the calls whose result is not in a log although the model answered again behind them. */
export class LostCalls {
  readonly #conversations = new Map<string, Conversation>();
  /** The numbers of the calls. */
  readonly found = new Set<number>();

  /** The model says something. `answer`: what it says with the same one belongs together; without it, what it says without a break. */
  model(conversation: string, answer?: string): void {
    const one = this.#of(conversation);
    if (answer === undefined ? !one.isModel : answer !== one.answer) one.answers += 1;
    one.isModel = true;
    one.answer = answer;
  }

  /** The model makes a call, numbered by its place in the log. */
  call(conversation: string, number: number, id: string): void {
    const { waiting, answers } = this.#of(conversation);
    // An id that comes again, with no result between, is the same call once more.
    if (!waiting.has(id) && waiting.size >= maxWaiting) return;
    waiting.set(id, { call: number, answer: answers });
  }

  /** A result arrives, or somebody else speaks. */
  other(conversation: string, id?: string): void {
    const one = this.#of(conversation);
    one.isModel = false;
    if (id !== undefined) one.waiting.delete(id);
  }

  /** A conversation is over, or all of them. */
  end(conversation?: string): void {
    for (const [name, { waiting, answers }] of this.#conversations) {
      if (conversation !== undefined && name !== conversation) continue;
      for (const { call, answer } of waiting.values()) if (answer < answers) this.found.add(call);
      this.#conversations.delete(name);
    }
  }

  #of(name: string): Conversation {
    let one = this.#conversations.get(name);
    if (!one) {
      one = { answers: 0, isModel: false, answer: undefined, waiting: new Map() };
      this.#conversations.set(name, one);
    }
    return one;
  }
}
