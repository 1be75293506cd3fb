import { availableParallelism } from "node:os";
import { performance } from "node:perf_hooks";
import { MessageChannel, type MessagePort, receiveMessageOnPort, Worker } from "node:worker_threads";
import { errorText, inBackground } from "@toolglot/internal";
import { type GuestThread, renewMessage, type ThreadListener } from "../../javascript/message-guest.ts";

/** Command that starts a thread. */
export interface ThreadCommand {
  /** Address of its script. */
  script: URL;
  workerData: Readonly<Record<string, unknown>>;
  /** Megabytes of its own heap, besides the interpreter's memory. */
  heapMb: number;
}

/** The interpreter's own 256 KB of stack stand for many times that of the thread's. */
const stackMb = 32;

/** Milliseconds that a thread whose program is over waits for the next one before it makes the interpreter for it. */
const renewAfterMs = 20;

const unreadable = "it sent something that cannot be read";

/**
 * How long a host that has answered waits for the next call before it goes back to its other work: to be woken by an event takes longer than
 * a call. Its event loop runs after each `sliceMs` of that, and after each message.
 */
const waitMs = 1;
const sliceMs = 0.05;
/** How long it looks before it sleeps: to be woken at all takes longer than a short call. */
const lookMs = 0.1;
/** To read the clock costs more than a look, and leaves a number on the heap. */
const looksPerClock = 64;
/** Of so many waits in a row that took longer it looks at the first four only: the other side may need its processor. */
const vainPeriod = 8;

/** Indexes in the memory that both sides share: messages that the host sent, whether the thread may wait, messages that it sent. */
const hostSent = 0;
const mayWait = 1;
const threadSent = 2;
/** Set when a thread that still starts is to end: it does so itself when it has read its files. */
const isEnded = 3;

/** How old a thread is at the most that is let come to its own end while it starts. Usually it takes some tens of milliseconds. */
const startsWithinMs = 5_000;

const processors = availableParallelism();

/** Threads that run a program. Both sides wait for each other while there is a processor for each of them. */
const atWork = new Set<WorkerThread>();

/** A thread of Node with no environment, no arguments and no streams. It talks over the port that it finds in `workerData`. */
export class WorkerThread implements GuestThread {
  readonly #worker: Worker;
  readonly #heapMb: number;
  /** Not the thread's own: only a port can be polled for messages. */
  readonly #port: MessagePort;
  readonly #shared: Int32Array = new Int32Array(new SharedArrayBuffer(16));
  #waiting = false;
  #waitUntil = 0;
  #vain = 0;
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
    this.#heapMb = heapMb;
    const { port1, port2 } = new MessageChannel();
    this.#port = port1;
    this.#worker = new Worker(script, {
      workerData: { ...workerData, shared: this.#shared, port: port2 },
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

  /** False in a runtime that ignores the limits of a thread. */
  get isHeapLimited(): boolean {
    return this.#worker.resourceLimits?.maxOldGenerationSizeMb === this.#heapMb;
  }

  attach({ onMessage, onEnd }: ThreadListener): void {
    this.#onMessage = onMessage;
    this.#onEnd = onEnd;
    if (this.#attached) return;
    this.#attached = true;
    const end = (fault: string): void => this.#onEnd(fault);
    this.#port.on("message", (data) => this.#take(data));
    this.#port.on("messageerror", () => end(unreadable));
    // The thread holds the process, as long as it is held itself.
    this.#port.unref();
    this.#worker.on("message", () => end("it sent a message where nobody listens"));
    this.#worker.on("messageerror", () => end("it sent a message where nobody listens"));
    this.#worker.on("error", (error: unknown) => end(errorText(error)));
    this.#worker.on("exit", () => {
      this.#markStarted();
      while (!this.#isOver && this.#receive());
      end("the thread ended");
    });
  }

  renew(held?: string): void {
    atWork.delete(this);
    this.#waitUntil = 0;
    if (held !== undefined) {
      this.#send(JSON.stringify({ type: "renew", held }), false);
      return;
    }
    // A host that needs no other program soon, or is about to end, need not pay for it.
    this.#renewal = setTimeout(() => this.#renewNow(), renewAfterMs);
    this.#renewal.unref();
  }

  #renewNow(): void {
    if (this.#renewal === undefined) return;
    clearTimeout(this.#renewal);
    this.#renewal = undefined;
    if (!this.#isOver) this.#send(renewMessage, false);
  }

  #send(message: string | [string, Uint8Array], waitsToo: boolean): void {
    Atomics.store(this.#shared, mayWait, waitsToo ? 1 : 0);
    this.#port.postMessage(message);
    Atomics.add(this.#shared, hostSent, 1);
    Atomics.notify(this.#shared, hostSent);
  }

  post(text: string, pages?: Uint8Array): void {
    if (pages) {
      this.#send([text, pages], false);
      return;
    }
    atWork.add(this);
    const hasProcessors = processors >= 2 * atWork.size;
    this.#send(text, hasProcessors);
    if (!hasProcessors) return;
    this.#waitUntil = performance.now() + waitMs;
    if (this.#waiting) return;
    this.#waiting = true;
    setImmediate(this.#wait);
  }

  /** Waits for a moment, takes one message at the most, and continues in the next round of the event loop. */
  readonly #wait = (): void => {
    this.#waiting = performance.now() < this.#waitUntil;
    if (!this.#waiting) return;
    setImmediate(this.#wait);
    // Read before the message is looked for: one that comes in between changes it.
    const seen = Atomics.load(this.#shared, threadSent);
    if (this.#receive()) return;
    this.#look(seen);
    Atomics.wait(this.#shared, threadSent, seen, sliceMs);
    this.#receive();
  };

  /** Looks for a moment whether the thread has sent more than that. */
  #look(seen: number): void {
    if (this.#vain++ % vainPeriod > 3) return;
    const until = performance.now() + lookMs;
    for (let looks = 1; Atomics.load(this.#shared, threadSent) === seen; looks++) {
      if (looks % looksPerClock === 0 && performance.now() > until) return;
    }
    this.#vain = 0;
  }

  #receive(): boolean {
    try {
      const next: { message: unknown } | undefined = receiveMessageOnPort(this.#port);
      if (next) this.#take(next.message);
      return next !== undefined;
    } catch {
      this.#onEnd(unreadable);
      return false;
    }
  }

  #take(data: unknown): void {
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
    this.#waitUntil = 0;
    Atomics.store(this.#shared, isEnded, 1);
    // A thread that is terminated while it reads its modules leaves their files open, for as long as the host lives.
    const lateMs = Math.max(0, this.#made + startsWithinMs - performance.now());
    const late = inBackground(() => this.#markStarted(), lateMs);
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
