import { defined } from "@toolglot/internal";
import type { AgentEvent } from "../events.ts";
import { toRunError } from "../loop/run-error.ts";
import { plainJson } from "../plain-json.ts";
import { lineOf } from "./format.ts";
import type { Crossing, Recording, RecordingEntry, RecordingHead } from "./types.ts";

/** A crossing of an answer of the host's, less the answer. */
type About = { [Type in Crossing["type"]]: { type: Type; hook?: string; callId?: string } }[Crossing["type"]];

/** Writes a recording. */
export class Log {
  readonly recording: Recording;
  readonly #onLine: ((line: string) => void) | undefined;
  #clock: number[] = [];
  #closed = false;

  constructor(head: RecordingHead, onLine: ((line: string) => void) | undefined) {
    this.recording = { head, entries: [] };
    this.#onLine = onLine;
    onLine?.(lineOf(head));
  }

  event(event: AgentEvent): void {
    this.#add({ type: "event", event });
    if (event.type === "run-end") this.#closed = true;
  }

  crossing(crossing: Crossing): void {
    this.#add(plainJson(crossing));
  }

  /** Calls a function of the host's. Writes what it returned, as `field` of the crossing, or what it threw, with `code` for foreign errors. */
  answered<Value>(about: About, field: string, code: string, ask: () => Value): Value {
    try {
      const value = ask();
      this.#answer(about, { [field]: value });
      return value;
    } catch (error) {
      this.#answer(about, { error: toRunError(error, code) });
      throw error;
    }
  }

  /** The same of a function that may answer later. `toData`: what is written of its answer. */
  async answeredLater<Value>(
    about: About,
    field: string,
    code: string,
    ask: () => Value | Promise<Value>,
    toData: (value: Value) => unknown = (value) => value,
  ): Promise<Value> {
    try {
      const value = await ask();
      this.#answer(about, { [field]: toData(value) });
      return value;
    } catch (error) {
      this.#answer(about, { error: toRunError(error, code) });
      throw error;
    }
  }

  clock(time: number): number {
    this.#clock.push(time);
    return time;
  }

  #answer(about: About, given: Record<string, unknown>): void {
    this.crossing({ ...about, ...defined(given) } as Crossing);
  }

  #add(entry: RecordingEntry): void {
    // After the end nothing is part of the run, or may be played.
    if (this.#closed) return;
    const timed: RecordingEntry = { ...entry, ...(this.#clock.length > 0 && { clock: this.#clock }) };
    this.#clock = [];
    this.recording.entries.push(timed);
    this.#onLine?.(lineOf(timed));
  }
}
