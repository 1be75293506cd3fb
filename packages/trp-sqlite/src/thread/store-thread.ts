/// <reference path="./script-text.d.ts" />
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";
import { Worker } from "node:worker_threads";
import { errorText } from "@toolglot/internal";
import { storeClosed } from "@toolglot/trp-core/store";
import { storeError } from "../errors.ts";
import type { Settings } from "../options.ts";
import {
  type Answer,
  type ErrorFacts,
  errorFacts,
  errorOf,
  isJson,
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
 * Opens a store in a thread of its own and gives an object with the same methods and values, whose methods are run there: a
 * commit waits for the disk, and this process's event loop goes on. `now` stays here.
 */
export async function openInThread<Store extends { close(): Promise<void> }>(
  kind: ThreadData["kind"],
  settings: Settings,
  now?: () => number,
): Promise<Store> {
  const thread = await StoreThread.start({ kind, settings, libsql: libsqlLocation() }, settings.file, now);
  return { ...thread.stub(), close: () => thread.close() } as Store;
}

/** A text is found from nowhere, so the thread is told. Undefined where it is not installed: `node:sqlite` needs none. */
function libsqlLocation(): string | undefined {
  try {
    return pathToFileURL(createRequire(import.meta.url).resolve("libsql")).href;
  } catch {
    return undefined;
  }
}

/** So many answers are told in one round of the event loop. */
const together = 16;

/** The thread of one store. It keeps the process alive while it owes an answer. */
class StoreThread {
  readonly #worker: Worker;
  readonly #file: string;
  readonly #now: (() => number) | undefined;
  /**
   * Who waits, by the number of the request, which is used again. No Map: one that much goes through keeps all of it alive
   * until the next collection of old objects, since its former tables lead to the later ones.
   */
  #waiting: (Waiting | undefined)[] = [];
  readonly #free: number[] = [];
  /** What was asked for in this tick. */
  #requests: Request[] = [];
  /** What is still to be told to those who wait. */
  #answers: Answer[] = [];
  #part: Part = {};
  /** Why nothing can be asked any more. */
  #ended: Error | undefined;
  #closing: Promise<void> | undefined;

  private constructor(worker: Worker, file: string, now: (() => number) | undefined) {
    this.#worker = worker;
    this.#file = file;
    this.#now = now;
    worker.on("error", (error) => this.#end(errorText(error), error));
    worker.on("exit", (code) => this.#end(`it ended with ${code}`));
  }

  /** Rejects with what the opening rejects with. */
  static async start(data: ThreadData, file: string, now?: () => number): Promise<StoreThread> {
    const { default: script } = await import("./store-script.ts?script");
    const worker = new Worker(script, {
      eval: true,
      workerData: data,
      // Nothing of the host but its wish for silence: node:sqlite says that it is experimental.
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

  /** What the thread's store has. */
  stub(part: Part = this.#part): Record<string, unknown> {
    const members = Object.entries(part).map(([name, member]) => {
      if ("value" in member) return [name, member.value];
      if ("part" in member) return [name, this.stub(member.part)];
      if ("step" in member) return [name, (args: readonly unknown[]) => this.#ask(member.step, [args])];
      return [name, (...given: unknown[]) => this.#askWritten(member.method, given)];
    });
    return Object.fromEntries(members);
  }

  /** After all that was asked for. */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    const { close } = this.#part as { close: { method: number } };
    if (this.#ended !== undefined) return;
    await this.#ask(close.method, [], true);
    await this.#worker.terminate();
  }

  /** `given` must not change until it is sent. */
  async #ask(method: number, given: string | readonly unknown[], isLast = false): Promise<unknown> {
    if (this.#closing !== undefined && !isLast) throw storeClosed((this.#part.name as { value: string }).value);
    if (this.#ended !== undefined) throw this.#ended;
    if (this.#free.length === this.#waiting.length) this.#worker.ref();
    const request: Request = [this.#free.pop() ?? this.#waiting.length, method, given];
    return await new Promise((resolve, reject) => {
      this.#waiting[request[0]] = { resolve, reject };
      if (this.#requests.push(request) === 1) setImmediate(() => this.#send());
    });
  }

  /** Of what a method is given: its owner may change it afterwards. */
  async #askWritten(method: number, given: unknown[]): Promise<unknown> {
    while (given.length > 0 && given.at(-1) === undefined) given.pop();
    const packed = packOutcomes(given);
    if (isJson(packed)) return await this.#ask(method, JSON.stringify(packed));
    const asked = this.#ask(method, packed);
    // Bytes, and numbers that JSON doesn't have: sent, they are a copy.
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
      // One of them is no data: the others are.
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

  /** What the first ones ask for next is under way while the others go on. */
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

  /** The thread is gone: what it had not answered may have been written or not. */
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
