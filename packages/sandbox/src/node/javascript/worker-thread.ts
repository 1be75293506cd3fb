import { availableParallelism } from "node:os";
import { performance } from "node:perf_hooks";
import { MessageChannel, type MessagePort, receiveMessageOnPort, Worker } from "node:worker_threads";
import type { GuestThread } from "../../javascript/message-guest.ts";

/** How to start a thread. */
export interface ThreadCommand {
  /** Address of its script. */
  script: URL;
  workerData: Readonly<Record<string, unknown>>;
  /** Megabytes of its own heap, besides the interpreter's memory. */
  heapMb: number;
}

/** The interpreter's own 256 KB of stack stand for many times that of the thread's. */
const stackMb = 32;

/** What `worker.node.mjs` waits for when a program is over. */
const renewMessage = '{"type":"renew"}';

/** How long a thread whose program is over waits for the next one before it makes the interpreter for it. */
const renewAfterMs = 20;

const unreadable = "it sent something that cannot be read";

/**
 * How long a host that has answered looks for the next call before it sleeps: to be woken takes longer than a call. Its event
 * loop has its turn after each `pollSliceMs` of that, and after each message.
 */
const pollMs = 0.2;
const pollSliceMs = 0.05;
/** To read the clock costs more than to look. */
const pollsPerClock = 64;

/** Places in what both sides see: messages the host sent, whether the thread may look for the next, messages it sent. */
const hostSent = 0;
const mayPoll = 1;
const threadSent = 2;
/** Whether the thread is to be ended, for one that starts: it sees to that itself when it has read its files. */
const isEnded = 3;

/** How old a thread is at the most that is let come to its own end while it starts. Usually it takes some tens of milliseconds. */
const startsWithinMs = 5_000;

const processors = availableParallelism();

/** Threads that run a program. Both sides look while a processor is there for each of them. */
const atWork = new Set<WorkerThread>();

/** A thread of Node with no environment, no arguments and no streams. It talks over the port that it finds in `workerData`. */
export class WorkerThread implements GuestThread {
  readonly #worker: Worker;
  /** Not the thread's own: a message can only be looked for on a port. */
  readonly #port: MessagePort;
  readonly #seen: Int32Array = new Int32Array(new SharedArrayBuffer(16));
  #heard = 0;
  #looking = false;
  #lookUntil = 0;
  #isOver = false;
  readonly #made = performance.now();
  #ending: Promise<void> | undefined;
  #attached = false;
  #renewal: NodeJS.Timeout | undefined;
  /** Called when it has started, or ended. */
  #markStarted: () => void = () => {};
  readonly #started = new Promise<void>((resolve) => {
    this.#markStarted = resolve;
  });
  #onMessage: (data: unknown) => void = () => {};
  #onEnd: (fault: string) => void = () => {};

  constructor({ script, workerData, heapMb }: ThreadCommand) {
    const { port1, port2 } = new MessageChannel();
    this.#port = port1;
    this.#worker = new Worker(script, {
      workerData: { ...workerData, seen: this.#seen, port: port2 },
      transferList: [port2],
      env: {},
      argv: [],
      execArgv: [],
      stdin: false,
      // Not passed on to the host's own; nothing reads them.
      stdout: true,
      stderr: true,
      trackUnmanagedFds: true,
      resourceLimits: { stackSizeMb: stackMb, maxOldGenerationSizeMb: heapMb, maxYoungGenerationSizeMb: 32 },
    });
  }

  attach({ onMessage, onEnd }: Parameters<GuestThread["attach"]>[0]): void {
    this.#onMessage = onMessage;
    this.#onEnd = onEnd;
    if (this.#attached) return;
    this.#attached = true;
    const end = (fault: string): void => this.#onEnd(fault);
    this.#port.on("message", (data) => this.#hear(data));
    this.#port.on("messageerror", () => end(unreadable));
    // The thread holds the process, as long as it is held itself.
    this.#port.unref();
    this.#worker.on("message", () => end("it spoke where nobody listens"));
    this.#worker.on("messageerror", () => end("it spoke where nobody listens"));
    this.#worker.on("error", (error: unknown) => end(error instanceof Error ? error.message : String(error)));
    this.#worker.on("exit", () => {
      this.#markStarted();
      while (!this.#isOver && this.#receive());
      end("the thread ended");
    });
  }

  renew(): void {
    atWork.delete(this);
    this.#lookUntil = 0;
    // A host that needs no other program soon, or is about to end, need not pay for it.
    this.#renewal = setTimeout(() => this.#renewNow(), renewAfterMs);
    this.#renewal.unref();
  }

  #renewNow(): void {
    if (this.#renewal === undefined) return;
    clearTimeout(this.#renewal);
    this.#renewal = undefined;
    if (!this.#isOver) this.#say(renewMessage, false);
  }

  #say(text: string, mayLook: boolean): void {
    Atomics.store(this.#seen, mayPoll, mayLook ? 1 : 0);
    this.#port.postMessage(text);
    Atomics.add(this.#seen, hostSent, 1);
  }

  post(text: string): void {
    atWork.add(this);
    const mayLook = processors >= 2 * atWork.size;
    this.#say(text, mayLook);
    if (!mayLook) return;
    this.#lookUntil = performance.now() + pollMs;
    if (this.#looking) return;
    this.#looking = true;
    setImmediate(() => this.#look());
  }

  /** Waits for a moment, takes one message at the most, and goes on in the next turn of the event loop. */
  #look(): void {
    const now = performance.now();
    this.#looking = now < this.#lookUntil;
    if (!this.#looking) return;
    setImmediate(() => this.#look());
    for (let looks = 1; Atomics.load(this.#seen, threadSent) === this.#heard; looks++) {
      if (looks % pollsPerClock === 0 && performance.now() > now + pollSliceMs) return;
    }
    this.#receive();
  }

  #receive(): boolean {
    try {
      const next: { message: unknown } | undefined = receiveMessageOnPort(this.#port);
      if (next) this.#hear(next.message);
      return next !== undefined;
    } catch {
      this.#onEnd(unreadable);
      return false;
    }
  }

  #hear(data: unknown): void {
    this.#heard++;
    this.#markStarted();
    this.#onMessage(data);
  }

  end(): Promise<void> {
    this.#ending ??= this.#end();
    return this.#ending;
  }

  async #end(): Promise<void> {
    atWork.delete(this);
    this.#isOver = true;
    this.#lookUntil = 0;
    Atomics.store(this.#seen, isEnded, 1);
    // A thread that is terminated while it reads its modules leaves their files open, for as long as the host lives.
    const late = setTimeout(() => this.#markStarted(), this.#made + startsWithinMs - performance.now());
    late.unref();
    await this.#started;
    clearTimeout(late);
    await this.#worker.terminate();
    this.#port.close();
  }

  hold(alive: boolean): void {
    if (alive) {
      this.#renewNow();
      this.#worker.ref();
    } else this.#worker.unref();
  }
}
