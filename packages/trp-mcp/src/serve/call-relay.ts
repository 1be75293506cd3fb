import { inBackground, parseJson, sleep } from "@toolglot/internal";
import type { OpenQuestions } from "./asking.ts";
import type { SessionStore } from "./session-records.ts";

/** Milliseconds between two looks, and after which a process that does not take an answer, or brings no end, is taken for gone. */
const lookMs = 250;
const takenMs = 5_000;
const endedMs = 60_000;

const folder = "gateway/questions/";

/** What a client answered, and to which call. */
export interface GivenAnswers {
  input: unknown;
  answers: Record<string, unknown>;
}

/** What a call came to after that. */
export type RelayedEnd = { result: unknown } | { questions: OpenQuestions };

/**
 * Takes a client's answer to the process that has the call which asked, and what the call comes to back: the client's next request may come
 * to any process. A call is in the process that began it.
 */
export class CallRelay {
  readonly #blobs: SessionStore["blobs"];
  readonly #onError: (error: Error) => void;

  constructor({ blobs }: Pick<SessionStore, "blobs">, onError: (error: Error) => void) {
    this.#blobs = blobs;
    this.#onError = onError;
  }

  /** Looks for an answer that came to another process, and passes it to `take`. Returns what ends that. */
  watch(id: string, take: (given: GivenAnswers) => Promise<RelayedEnd | undefined>): () => void {
    let timer: ReturnType<typeof setTimeout> | undefined;
    let isOver = false;
    const look = async (): Promise<void> => {
      const given = await this.#fetch<GivenAnswers>(`${id}/answer`);
      if (given === undefined) return;
      isOver = true;
      const end = await take(given);
      if (end === undefined) return;
      await this.#put(`${id}/end`, end);
      // Where nobody waits for it any more.
      inBackground(() => void this.#blobs.delete(`${folder}${id}/end`).catch(this.#onError), endedMs);
    };
    const again = (): void => {
      if (isOver) return;
      timer = inBackground(() => void look().catch(this.#onError).finally(again), lookMs);
    };
    again();
    return () => {
      isOver = true;
      clearTimeout(timer);
    };
  }

  /** Resolves to what a call at another process comes to with an answer; to `undefined` when no process has it. */
  async give(id: string, given: GivenAnswers, signal: AbortSignal | undefined): Promise<RelayedEnd | undefined> {
    await this.#put(`${id}/answer`, given);
    let isTaken = false;
    for (let waited = 0; waited < (isTaken ? endedMs : takenMs) && !signal?.aborted; waited += lookMs) {
      await sleep(lookMs, signal);
      const end = await this.#fetch<RelayedEnd>(`${id}/end`);
      if (end !== undefined) return end;
      isTaken ||= (await this.#blobs.get(`${folder}${id}/answer`)) === undefined;
    }
    await this.#blobs.delete(`${folder}${id}/answer`);
    return undefined;
  }

  async #put(name: string, value: unknown): Promise<void> {
    await this.#blobs.put(folder + name, new TextEncoder().encode(JSON.stringify(value)));
  }

  /** Reads a value, which is gone then. */
  async #fetch<Value>(name: string): Promise<Value | undefined> {
    const bytes = await this.#blobs.get(folder + name);
    if (bytes === undefined) return undefined;
    await this.#blobs.delete(folder + name);
    return parseJson(new TextDecoder().decode(bytes)) as Value;
  }
}
