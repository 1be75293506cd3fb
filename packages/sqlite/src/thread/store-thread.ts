/// <reference path="./script-text.d.ts" />
import { createRequire } from "node:module";
import { setTimeout } from "node:timers";
import { pathToFileURL } from "node:url";
import { Worker } from "node:worker_threads";
import { errorText, isJson } from "@toolglot/internal";
import { storeClosed } from "@toolglot/trp-core/store";
import { storeError } from "../errors.ts";
import type { Settings } from "../options.ts";
import type { SteppedStore } from "../sqlite-store.ts";
import {
  type Answer,
  type ErrorFacts,
  errorFacts,
  errorOf,
  type Opened,
  type Part,
  type Request,
  type Requests,
  type ThreadData,
} from "./messages.ts";

import { packOutcomes } from "./shared-outcomes.ts";

interface Waiting {
  resolve(value: unknown): void;
  reject(error: unknown): void;
}

/**
 * Opens a store in a separate thread. Returns an object with the same methods and values; its methods run in the
 * thread, so that this event loop continues while a commit waits for the disk. The clock `now` is called on this side.
 */
export async function openInThread(settings: Settings, now?: () => number): Promise<ThreadedStore> {
  const thread = await StoreThread.start({ settings, libsql: libsqlLocation() }, settings.file, now);
  const own = { close: () => thread.close(), send: () => thread.sendSoon() };
  return { ...thread.stub(), ...own } as unknown as ThreadedStore;
}

/** A store in a thread. `send`: sends the requests that may wait, in this round of the event loop. */
interface ThreadedStore extends SteppedStore {
  send(): void;
}

/**
 * The address of the package `libsql`. The thread needs it because its program is a text without a path, from which no
 * package can be found. Undefined when `libsql` is not installed, as with `node:sqlite`.
 */
function libsqlLocation(): string | undefined {
  try {
    return pathToFileURL(createRequire(import.meta.url).resolve("libsql")).href;
  } catch {
    return undefined;
  }
}

/** How long a request that may wait for the next one waits at most. Milliseconds. */
const maxWaitMs = 10;

/** How many requests are settled in one round of the event loop. */
const together = 16;

/** The thread of one store. It keeps the process alive while it owes an answer. */
class StoreThread {
  readonly #worker: Worker;
  readonly #file: string;
  readonly #now: (() => number) | undefined;
  /**
   * The callers that wait, by the number of their request. Numbers are used again. It is not a `Map`, because V8's old
   * tables of a busy `Map` keep its values alive until the next collection of old objects.
   */
  #waiting: (Waiting | undefined)[] = [];
  readonly #free: number[] = [];
  /** The requests of this tick, and before them those that wait for them. */
  #requests: Request[] = [];
  #isSending = false;
  /** Used again: most calls begin with such a request, and need no timer in the end. */
  #timer: NodeJS.Timeout | undefined;
  /** Answers that have arrived and are not yet passed to their callers. */
  #answers: Answer[] = [];
  #part: Part = {};
  /** Why the thread takes no more requests. */
  #ended: Error | undefined;
  #closing: Promise<void> | undefined;

  private constructor(worker: Worker, file: string, now: (() => number) | undefined) {
    this.#worker = worker;
    this.#file = file;
    this.#now = now;
    worker.on("error", (error) => this.#end(errorText(error), error));
    worker.on("exit", (code) => this.#end(`it ended with ${code}`));
  }

  /** Rejects with the error of the opening. */
  static async start(data: ThreadData, file: string, now?: () => number): Promise<StoreThread> {
    const { default: script } = await import("./store-script.ts?script");
    const worker = new Worker(script, {
      eval: true,
      workerData: data,
      // The only setting of the host that counts is whether warnings are shown: node:sqlite warns that it is
      // experimental.
      env: {},
      execArgv: process.execArgv.filter((option) => /^--(?:no-warnings$|disable-warning=)/.test(option)),
    });
    const thread = new StoreThread(worker, file, now);
    const first = await new Promise<Opened>((resolve, reject) => {
      thread.#waiting = [{ resolve: () => {}, reject }];
      worker.once("message", resolve);
    });
    thread.#waiting = [];
    if ("failed" in first) {
      thread.#closing = Promise.resolve();
      await worker.terminate();
      throw errorOf(first.failed);
    }
    thread.#part = first.opened;
    worker.on("message", (answers: Answer[]) => thread.#take(answers));
    worker.unref();
    return thread;
  }

  /** Returns an object with the members of the thread's store. */
  stub(part: Part = this.#part): Record<string, unknown> {
    const members = Object.entries(part).map(([name, member]) => {
      if ("value" in member) return [name, member.value];
      if ("part" in member) return [name, this.stub(member.part)];
      if ("step" in member)
        return [name, (args: readonly unknown[], mayWait?: boolean) => this.#ask(member.step, [args], mayWait)];
      return [name, (...given: unknown[]) => this.#askWritten(member.method, given)];
    });
    return Object.fromEntries(members);
  }

  /** Closes the store after all requests are answered. */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    const { close } = this.#part as { close: { method: number } };
    if (this.#ended !== undefined) return;
    await this.#ask(close.method, [], false, true);
    await this.#worker.terminate();
  }

  /** Sends a request. `given` must not change until then. `mayWait`: for the next request, {@link maxWaitMs} at most. */
  #ask(method: number, given: string | readonly unknown[], mayWait = false, isLast = false): Promise<unknown> {
    return new Promise((resolve, reject) => {
      if (this.#closing !== undefined && !isLast) throw storeClosed((this.#part.name as { value: string }).value);
      if (this.#ended !== undefined) throw this.#ended;
      if (this.#free.length === this.#waiting.length) this.#worker.ref();
      const request: Request = [this.#free.pop() ?? this.#waiting.length, method, given];
      this.#waiting[request[0]] = { resolve, reject };
      const isFirst = this.#requests.push(request) === 1;
      if (!mayWait) this.sendSoon();
      else if (isFirst) this.#sendLater();
    });
  }

  /** Sends the requests at the end of this round of the event loop. */
  sendSoon(): void {
    if (this.#isSending || this.#requests.length === 0) return;
    this.#isSending = true;
    setImmediate(() => {
      this.#isSending = false;
      this.#send();
    });
  }

  #sendLater(): void {
    if (this.#timer === undefined) this.#timer = setTimeout(() => this.#send(), maxWaitMs);
    else this.#timer.refresh();
  }

  /** Sends a request with a copy of the arguments, because the caller may change them afterwards. */
  async #askWritten(method: number, given: unknown[]): Promise<unknown> {
    while (given.length > 0 && given.at(-1) === undefined) given.pop();
    const packed = packOutcomes(given);
    if (isJson(packed)) return await this.#ask(method, JSON.stringify(packed));
    const asked = this.#ask(method, packed);
    // With bytes or numbers that JSON doesn't have, sending at once makes the copy.
    this.#send();
    return await asked;
  }

  #send(): void {
    const requests = this.#requests;
    if (requests.length === 0) return;
    this.#requests = [];
    try {
      this.#post(requests);
    } catch {
      // One request can't be cloned. The others are sent one by one.
      for (const request of requests) this.#sendAlone(request);
    }
  }

  #sendAlone(request: Request): void {
    try {
      this.#post([request]);
    } catch (error) {
      this.#settle([
        request[0],
        errorFacts(new TypeError(`the store was given what is no data: ${errorText(error)}`)),
        "error",
      ]);
    }
  }

  #post(requests: Request[]): void {
    const message: Requests = [this.#now?.(), ...requests];
    this.#worker.postMessage(message);
  }

  #take(answers: Answer[]): void {
    const isIdle = this.#answers.length === 0;
    this.#answers = isIdle ? answers : [...this.#answers, ...answers];
    if (isIdle) this.#settleSome();
  }

  /** Passes some answers on. The next requests of these callers are sent before the other answers are passed on. */
  #settleSome(): void {
    this.#send();
    const now = this.#answers.slice(0, together);
    this.#answers = this.#answers.slice(together);
    for (const answer of now) this.#settle(answer);
    if (this.#answers.length > 0) setImmediate(() => this.#settleSome());
  }

  #settle([id, value, form]: Answer): void {
    const waiting = this.#waiting[id];
    this.#waiting[id] = undefined;
    if (this.#free.push(id) === this.#waiting.length) this.#worker.unref();
    if (form === "error") waiting?.reject(errorOf(value as ErrorFacts));
    else waiting?.resolve(form === "json" ? JSON.parse(value as string) : value);
  }

  /** The thread has ended. Requests without an answer may have been written or not. */
  #end(why: string, cause?: unknown): void {
    this.#ended ??= storeError(
      "trp/store-thread",
      `The thread that writes ${this.#file} has ended: ${why}. Open the store again.`,
      { file: this.#file },
      cause,
    );
    this.#requests = [];
    const waiting = this.#waiting;
    this.#waiting = [];
    this.#free.length = 0;
    for (const one of waiting) one?.reject(this.#ended);
  }
}
