/// <reference path="./script-text.d.ts" />
import { type MessagePort, Worker } from "node:worker_threads";
import { onAbort, untilAborted } from "@toolglot/internal";
import { localError } from "../errors.ts";
import { type SearchJob, type SearchState, searchBegins } from "./search-state.ts";
import { SharedPlace } from "./shared-place.ts";

/** Milliseconds without a search after which the thread ends. */
const idleMs = 30_000;
/** Milliseconds that a thread may take to begin. */
const startMs = 30_000;

export interface SearchTimes {
  timeoutMs: number;
  /** Milliseconds for one file, or a million bytes of a large one. */
  fileTimeoutMs: number;
  signal?: AbortSignal | undefined;
}

/** A job without what the thread adds. */
type AskedJob = Omit<SearchJob, "slow" | "until" | "helpAfter">;

/** Messages of the thread: how far it came, in between and at the end. */
type Message = { state: SearchState; isOver?: true } | { failed: string } | { help: Help };

/** It asks for a second thread: where that one gets its files, and where it writes what it looks at. */
interface Help {
  port: MessagePort;
  shared: SharedArrayBuffer;
}

/** A search that ended, or a thread that stood too long on one file, or ran out of memory there. */
type Attempt = { state: SearchState; stuckOn?: string };

interface Thread {
  worker: Worker;
  helper: { worker: Worker; place: SharedPlace } | undefined;
  place: SharedPlace;
  /** Called with its messages while a search runs. */
  say: ((message: Message | "stuck" | "ended") => void) | undefined;
}

/**
 * One thread that searches, started when it is first needed and ended when nobody has needed it for a while. It searches with calls
 * that wait: thousands of files opened through the event loop take ten times as long. It can be ended while an expression
 * runs that never comes to an end; another one continues behind that file.
 */
export class SearchThread {
  #thread: Thread | undefined;
  /** How often it was closed. */
  #closed = 0;
  #idle: NodeJS.Timeout | undefined;
  #last: Promise<unknown> = Promise.resolve();
  readonly #helpAfter: number;

  /** `helpAfter`: files of a search after which it starts a second thread, which saves more time by then than its start takes. */
  constructor(helpAfter = 1000) {
    this.#helpAfter = helpAfter;
  }

  /** Whether there is a second thread, which searches get from now on. */
  get isHelped(): boolean {
    return (this.#thread?.helper?.place.answered ?? 0) > 0;
  }

  /** Searches, after all searches asked for before. Rejects with `InvalidPattern` for what can't be run, and with the signal's reason. */
  run(job: AskedJob, times: SearchTimes): Promise<SearchState> {
    const running = this.#last.then(() => this.#search(job, times));
    this.#last = running.catch(() => undefined);
    return times.signal === undefined ? running : untilAborted(running, times.signal);
  }

  /** Ends the thread, and what it searches. The next search starts another one. */
  async close(): Promise<void> {
    clearTimeout(this.#idle);
    const thread = this.#thread;
    this.#thread = undefined;
    this.#closed++;
    await Promise.all([thread?.worker.terminate(), thread?.helper?.worker.terminate()]);
  }

  async #search(job: AskedJob, times: SearchTimes): Promise<SearchState> {
    times.signal?.throwIfAborted();
    clearTimeout(this.#idle);
    const stopListening = onAbort(times.signal, () => void this.close());
    const until = Date.now() + times.timeoutMs;
    const slow: string[] = [];
    try {
      for (let begin = searchBegins(job.patterns.length); ; ) {
        const { state, stuckOn } = await this.#attempt(
          { ...job, slow, until, helpAfter: this.#helpAfter },
          begin,
          times.fileTimeoutMs,
        );
        if (stuckOn === undefined) return state;
        if (stuckOn === "" || slow.includes(stuckOn)) throw new Error("The thread that searches does not begin.");
        slow.push(stuckOn);
        begin = state;
      }
    } finally {
      stopListening();
      this.#thread?.worker.unref();
      this.#idle = setTimeout(() => void this.close(), idleMs).unref();
    }
  }

  async #attempt(job: SearchJob, begin: SearchState, fileTimeoutMs: number): Promise<Attempt> {
    const thread = await this.#started();
    const { worker, place } = thread;
    place.clear();
    let clock: NodeJS.Timeout | undefined;
    try {
      return await new Promise<Attempt>((resolve, reject) => {
        let state = begin;
        let seen = 0;
        let since = performance.now();
        thread.say = (message) => {
          if (message === "ended") reject(new Error("The search was ended."));
          else if (message === "stuck") {
            resolve({ state, stuckOn: place.shown });
            void this.close();
          } else if ("failed" in message) {
            reject(localError("InvalidPattern", `The pattern can't be searched for: ${message.failed}.`));
          } else if ("state" in message) {
            state = message.state;
            if (message.isOver) resolve({ state });
          }
        };
        clock = setInterval(
          () => {
            const now = performance.now();
            const count = place.begun;
            if (count !== seen) [seen, since] = [count, now];
            else if (now - since >= (seen === 0 ? startMs : fileTimeoutMs)) thread.say?.("stuck");
          },
          Math.min(fileTimeoutMs / 4, 100),
        );
        worker.ref();
        worker.postMessage({ job, state });
      });
    } finally {
      clearInterval(clock);
      thread.say = undefined;
    }
  }

  async #started(): Promise<Thread> {
    if (this.#thread !== undefined) return this.#thread;
    // It is long: nobody who does not search reads it.
    const closed = this.#closed;
    const { default: script } = await import("./search-script.ts?script");
    if (this.#closed !== closed) throw new Error("The search was ended.");
    const place = new SharedPlace();
    const worker = newWorker(script, { shared: place.shared });
    const thread: Thread = { worker, helper: undefined, place, say: undefined };
    worker.on("message", (message: Message) => {
      if (!("help" in message)) thread.say?.(message);
      else if (this.#thread === thread) {
        const { shared, port } = message.help;
        const helper = newWorker(script, message.help, [port]);
        const helperPlace = new SharedPlace(shared);
        thread.helper = { worker: helper, place: helperPlace };
        helper.unref();
        // A file that is too much for it is left to the other thread, which reports it.
        helper.on("error", () => helperPlace.end());
      }
    });
    // Out of memory, as far as is known.
    worker.on("error", () => thread.say?.("stuck"));
    worker.on("exit", () => thread.say?.("ended"));
    this.#thread = thread;
    return thread;
  }
}

function newWorker(
  script: string,
  workerData: { shared: SharedArrayBuffer },
  transferList: MessagePort[] = [],
): Worker {
  return new Worker(script, {
    eval: true,
    workerData,
    transferList,
    // Nothing of the host: neither its variables nor its options.
    env: {},
    execArgv: [],
    resourceLimits: { maxOldGenerationSizeMb: 512 },
  });
}
