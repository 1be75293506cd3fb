import { ToolglotError } from "@toolglot/core";
import { createRouter, defaultPolicy, type PolicyEngine, principal, type Router } from "@toolglot/trp-core";
import type { Database } from "./database.ts";
import { type Delays, NetworkLink } from "./link.ts";
import type { Mistakes } from "./mistakes.ts";
import type { Kind, Outside } from "./outside.ts";
import type { Random } from "./random.ts";
import { openStore } from "./store.ts";
import { epoch, Process, type VirtualTime } from "./virtual-time.ts";

/** How long a claim holds without being renewed. Milliseconds. */
const leaseMs = 2_000;
const hour = 3_600_000;
const usual = defaultPolicy();
/** How often a store measures how far its clock is from that of the database. Milliseconds. */
const measureEveryMs = 10_000;

export const ada: ReturnType<typeof principal> = principal({ id: "ada" });
export const boss: ReturnType<typeof principal> = principal({ id: "boss", roles: ["approver"] });

/** What all routers have in common. */
export interface Surroundings {
  time: VirtualTime;
  random: Random;
  database: Database;
  delays: Delays;
  outside: Outside;
  /** The kinds of capabilities that somebody calls. */
  kinds: ReadonlySet<Kind>;
  mistakes: Mistakes;
  /** Counts something that happened. */
  count(what: string): void;
}

/** A place where a router runs: a new process after each death. */
export class Node {
  readonly name: string;
  process: Process;
  router: Router | undefined;
  link: NetworkLink;
  isCutFromAgents = false;
  /** Calls are over their rate. */
  isRefusing = false;
  readonly #surroundings: Surroundings;
  readonly #random: Random;
  readonly #policy: PolicyEngine = {
    version: "1",
    evaluate: (input) =>
      this.isRefusing
        ? { decision: "deny", rule: "rate", reason: "Too many calls.", retryAfterMs: 100 }
        : usual.evaluate(input),
  };
  #starts = 0;

  constructor(name: string, surroundings: Surroundings) {
    this.name = name;
    this.#surroundings = surroundings;
    this.#random = surroundings.random.fork();
    this.process = new Process(name);
    this.link = new NetworkLink(surroundings, this.process);
  }

  /** Starts a router in a new process. */
  start(): void {
    const { time, database, outside, kinds, mistakes, count } = this.#surroundings;
    const before = this.process;
    const name = `${this.name}.${++this.#starts}`;
    this.process = new Process(name);
    this.process.clockOffMs = before.clockOffMs;
    this.link = new NetworkLink(this.#surroundings, this.process);
    const { process, link } = this;
    time.after(0, process, () => {
      const store = openStore({
        database,
        link,
        mistakes,
        pace: { now: () => time.now, sleep: (ms) => time.sleep(ms) },
        now: mistakes.localClock ? () => time.wallClock() : this.#measuredClock(),
        admissionWaitMs: 20,
      });
      this.router = createRouter({
        routerId: name,
        store,
        policy: this.#policy,
        capabilities: outside.capabilities(process, kinds),
        catalogTools: false,
        times: { leaseMs, keyTtlMs: hour, keyMemoryMs: 0, approvalTtlMs: 120_000, pruneEveryMs: 15_000 },
        onError: (error) => count(ToolglotError.isInstance(error) ? error.code : "capability failed"),
      });
      time.note("starts");
    });
  }

  kill(): void {
    this.#surroundings.time.note(`${this.process.name} is killed`);
    this.process.isAlive = false;
    this.router = undefined;
    // The database notices when it likes; what was under way may still be committed.
    this.link.breakAll(3_000);
  }

  /** The wall clock, and how far it is from the database's, as it was measured last: a jump is wrong until the next time. */
  #measuredClock(): () => number {
    const { time } = this.#surroundings;
    const process = time.current as Process;
    let offsetMs = 0;
    const measure = (): void => {
      const errorMs = Math.round(this.#random.between(-40, 40));
      offsetMs = epoch + Math.round(time.now) + errorMs - time.wallClock();
      time.after(measureEveryMs, process, measure);
    };
    measure();
    return () => time.wallClock() + offsetMs;
  }
}
