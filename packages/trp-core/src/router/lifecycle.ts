import { ToolglotError } from "@toolglot/core";
import { checkKeys, maxTimerMs, removeFrom, settleWithin } from "@toolglot/internal";
import type { RecoveryReport } from "../calls/keyed/recover.ts";
import type { RouterStore } from "../store/types.ts";
import type { RouterTimes } from "./types.ts";

/** What a router does besides answering: recover, prune, close. */
export interface Lifecycle {
  /** A frame is being answered: `close` waits for as many calls of `end`. */
  begin(): void;
  end(): void;
  closing(): boolean;
  recover(): Promise<RecoveryReport>;
  ready(): Promise<string | undefined>;
  close(options?: { graceMs?: number }): Promise<void>;
}

/** Options of {@link createLifecycle}. */
export interface LifecycleOptions {
  store: Pick<RouterStore, "ping">;
  times: Pick<RouterTimes, "recoverEveryMs" | "pruneEveryMs">;
  prune(): Promise<void>;
  /** Checkpoints of the audit log. `everyMs` 0: the router writes none by time. */
  checkpoint: { everyMs: number; write(): Promise<unknown> };
  /** Aborted when the grace of `close` is over. */
  stop: AbortController;
  recover(signal: AbortSignal): Promise<RecoveryReport>;
}

const defaultGraceMs = 10_000;

/** Open to everybody who asks, so without names of files. */
const unready: Readonly<Record<string, string>> = {
  "trp/store-busy": "the store is locked by another process",
  "trp/store-failed": "the store does not take writes",
  "trp/store-corrupt": "the store is damaged",
  "trp/store-replaced": "the store was deleted or replaced while it was open",
  "trp/store-thread": "the store's thread has ended",
  "trp/store-unavailable": "the store can't be reached",
  "trp/store-readonly": "the store takes no writes: it is a standby, or read-only",
  "trp/store-lost-writes": "the store has forgotten what it had acknowledged, and nobody has accepted that",
};

export function createLifecycle(options: LifecycleOptions): Lifecycle {
  const { store, times, stop, recover, prune, checkpoint } = options;
  const work = new Set<Promise<unknown>>();
  let frames = 0;
  let allAnswered: (() => void) | undefined;
  let closed: Promise<void> | undefined;
  let recovering: Promise<RecoveryReport> | undefined;

  /** Returns the promise, and waits for it in `close`. */
  function track<Value>(promise: Promise<Value>): Promise<Value> {
    work.add(promise);
    const done = (): boolean => work.delete(promise);
    promise.then(done, done);
    return promise;
  }

  /** One sweep at a time: who asks meanwhile gets the report of the one that runs. */
  function sweep(): Promise<RecoveryReport> {
    recovering ??= recover(stop.signal).finally(() => {
      recovering = undefined;
    });
    return recovering;
  }

  const ends = [
    every(times.recoverEveryMs, () => track(sweep())),
    every(times.pruneEveryMs, () => track(prune())),
    every(checkpoint.everyMs, () => track(checkpoint.write())),
  ];

  async function close(graceMs: number): Promise<void> {
    for (const end of ends) end();
    const answered = new Promise<void>((resolve) => {
      if (frames === 0) resolve();
      else allAnswered = resolve;
    });
    const ended = Promise.all([answered, Promise.allSettled([...work])]);
    const last = checkpoint.everyMs === 0 ? ended : ended.then(() => checkpoint.write().catch(() => {}));
    await settleWithin(last, { ms: graceMs });
    stop.abort(new DOMException("the router is closing", "AbortError"));
  }

  return {
    begin() {
      frames++;
    },
    end() {
      frames--;
      if (frames === 0) allAnswered?.();
    },
    closing: () => closed !== undefined,
    recover: () => track(sweep()),
    async ready() {
      if (closed !== undefined) return "the router is closing";
      try {
        await store.ping();
        return undefined;
      } catch (error) {
        const why = ToolglotError.isInstance(error) ? unready[error.code] : undefined;
        return why ?? "the store does not answer";
      }
    },
    close(options = {}) {
      checkKeys("close", options, "graceMs:number");
      const { graceMs = defaultGraceMs } = options;
      if (!(graceMs >= 0)) throw new TypeError("close: graceMs must be a number of milliseconds from 0");
      closed ??= close(graceMs);
      return closed;
    },
  };
}

/** Does something again and again, once at a time, without keeping a process alive; 0: never. Returns what ends it. */
function every(ms: number, task: () => Promise<unknown>): () => void {
  if (ms === 0) return () => {};
  let busy = false;
  const timer = setInterval(
    () => {
      if (busy) return;
      busy = true;
      const done = (): void => {
        busy = false;
      };
      // The store's trouble of now: the next round may fare better.
      task().then(done, done);
    },
    Math.min(ms, maxTimerMs),
  );
  (timer as { unref?: () => void }).unref?.();
  return () => clearInterval(timer);
}

/** The frames and calls that are in flight in this router, by session. */
export class InFlight {
  // One entry each, since the same call may be in flight twice. Searched only when something comes twice.
  readonly #all: { sessionId: string; kind: "frame" | "call"; id: string }[] = [];

  /** Begins one, which is in flight until the returned function is called. */
  begin(sessionId: string, kind: "frame" | "call", id: string): () => void {
    const entry = { sessionId, kind, id };
    this.#all.push(entry);
    return () => removeFrom(this.#all, entry);
  }

  has(sessionId: string, kind: "frame" | "call", id: string): boolean {
    return this.#all.some((entry) => entry.id === id && entry.kind === kind && entry.sessionId === sessionId);
  }
}
