import type { AgentEvent } from "../events.ts";
import { type ExpandedRequest, expandRequests } from "../expand-requests.ts";
import { canonicalJson } from "../plain-json.ts";
import type { RunError, Steering } from "../result.ts";
import { firstDifference } from "./difference.ts";
import type { Crossing, Recording, RecordingEntry } from "./types.ts";

/** Where a replay first did something else than the recorded run. */
export interface Divergence {
  /** `request`: the model is asked something else. `action`: something else is to be run. `event`, `order`: the rest. */
  what: "request" | "action" | "event" | "order";
  /** One sentence with the place and both sides. */
  message: string;
}

/** Microtasks that a replay waits for an event or a timer that should come: more than any path of the loop takes. */
const maxMicrotasks = 200;

/**
 * Walks through a recording. The played model, executor and host take the crossings in order; events are compared as the run emits them.
 * The caller's abort comes by itself, as soon as everything that was recorded before it has happened.
 */
export class Player {
  readonly #entries: readonly RecordingEntry[];
  readonly #events: AgentEvent[] = [];
  /** How many events are before each entry. */
  readonly #eventsBefore: number[] = [];
  readonly #clock: number[];
  readonly #controller = new AbortController();
  #timers: { name: string; callback: () => void }[] = [];
  #tools: { tools?: unknown; instructions?: unknown; error?: RunError } = { tools: [] };
  #run: Steering | undefined;
  #position = 0;
  #emitted = 0;
  #clockRead = 0;
  divergence: Divergence | undefined;

  constructor({ entries }: Recording) {
    this.#entries = entries;
    for (const entry of entries) {
      this.#eventsBefore.push(this.#events.length);
      if (entry.type === "event") this.#events.push(entry.event);
    }
    this.#clock = entries.flatMap((entry) => entry.clock ?? []);
  }

  /** Aborted where the recorded run was. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Resolves to the next crossing, once the events before it have been emitted, and the timer that it fires was started. Does not move. */
  async next(): Promise<Crossing | undefined> {
    const index = this.#nextIndex();
    const due = this.#eventsBefore[index] ?? 0;
    const entry = this.#entries[index];
    const isReady = (): boolean =>
      this.#emitted >= due && (entry?.type !== "timer" || this.#timers.some(({ name }) => name === entry.name));
    for (let count = 0; count < maxMicrotasks && !isReady(); count += 1) await Promise.resolve();
    this.#actIfDue();
    return this.#entries[this.#nextIndex()] as Crossing | undefined;
  }

  /** Moves past the next crossing. */
  advance(): void {
    this.#position = this.#nextIndex() + 1;
  }

  /** Returns the last request that was recorded before the next crossing. */
  lastRequest(): ExpandedRequest | undefined {
    return expandRequests(this.#events.slice(0, this.#eventsBefore[this.#nextIndex()])).at(-1);
  }

  /** Returns the tools that the source returned: the same as before, unless others were recorded here. */
  tools(): unknown {
    const next = this.#entries[this.#nextIndex()];
    if (next?.type === "tools") {
      this.advance();
      this.#tools = next;
    }
    const { tools, error } = this.#tools;
    if (error) throw new Error(error.message);
    return tools;
  }

  /** Returns the source's text about them: read after the tools. */
  instructions(): unknown {
    return this.#tools.instructions;
  }

  /** Returns what the step cost, or how many tokens the host estimated. */
  number(type: "price" | "estimate"): number {
    const next = this.#entries[this.#nextIndex()];
    if (next?.type !== type) return Number.NaN;
    this.advance();
    if (next.error) throw new Error(next.error.message);
    return (next.type === "price" ? next.cost : next.tokens) ?? Number.NaN;
  }

  /** Sets the run that is steered as the host did. */
  steers(run: Steering): void {
    this.#run = run;
    this.#actIfDue();
  }

  /** Compares every event of the replayed run. */
  observe(event: AgentEvent): void {
    const recorded = this.#events[this.#emitted];
    this.#emitted += 1;
    // A request is compared where the model is asked, which shows more.
    if (!this.divergence && event.type !== "request" && canonicalJson(recorded) !== canonicalJson(event)) {
      this.diverge("event", `event ${this.#emitted} (${event.type})`, recorded, event);
    }
    this.#actIfDue();
  }

  /** Records the first divergence; later ones follow from it. */
  diverge(what: Divergence["what"], where: string, recorded: unknown, now: unknown): Divergence {
    const found = firstDifference(recorded, now);
    const place = found?.path ? `${where}, ${found.path}` : where;
    const message = `The replay differs from the recording in ${place}: recorded ${found?.recorded}, now ${found?.now}.`;
    this.divergence ??= { what, message };
    return this.divergence;
  }

  now(): number {
    const time = this.#clock[this.#clockRead] ?? this.#clock.at(-1) ?? 0;
    this.#clockRead += 1;
    return time;
  }

  /** Creates a timer that does not run: it fires where the recorded one did. */
  startTimer(name: string, callback: () => void): () => void {
    const timer = { name, callback };
    this.#timers.push(timer);
    // Nobody plays a crossing while the loop waits to ask its model again.
    if (name === "retry") queueMicrotask(() => this.#actIfDue());
    return () => {
      this.#timers = this.#timers.filter((other) => other !== timer);
    };
  }

  fireTimer(name: string): void {
    const timer = this.#timers.find((candidate) => candidate.name === name);
    this.#timers = this.#timers.filter((other) => other !== timer);
    timer?.callback();
  }

  #nextIndex(): number {
    let index = this.#position;
    while (this.#entries[index]?.type === "event") index += 1;
    return index;
  }

  /** Aborts and steers where the host did. */
  #actIfDue(): void {
    for (;;) {
      const index = this.#nextIndex();
      const entry = this.#entries[index];
      const isTimer = entry?.type === "timer" && this.#timers.some(({ name }) => name === "retry");
      const isOwn = isTimer || entry?.type === "abort" || entry?.type === "steer" || entry?.type === "follow-up";
      if (!isOwn || this.#emitted < (this.#eventsBefore[index] ?? 0)) return;
      this.#position = index + 1;
      if (entry.type === "timer") this.fireTimer(entry.name);
      else if (entry.type === "abort") this.#controller.abort();
      else if (entry.type === "steer") this.#run?.steer(entry.messages, { interrupt: entry.interrupt });
      else this.#run?.followUp(entry.messages);
    }
  }
}
