import { ToolglotError } from "@toolglot/core";
import type { About, Act } from "./database.ts";
import type { Link, Reply, Sent } from "./link.ts";

/** How long a call waits for the database to come back, and how long for the end of an old connection. Milliseconds. */
const retryForMs = 5_000;
const settleForMs = 2_000;

/** What a connection may get wrong, to see that the simulation notices. */
export interface ConnectionMistakes {
  /** A commit whose end is not known is taken for failed, and the transaction is sent again as `again` says. */
  takesForFailed?: boolean;
  /** A commit whose end is not known is taken for done, with this result. */
  takesForDone?: boolean;
}

/** What a transaction needs for those mistakes. */
export interface Naively<Result> {
  again?: Act<Result>;
  done?: () => Result;
}

/** The time of a process: `sleep` and a clock that only goes forwards. */
export interface Pace {
  now(): number;
  sleep(ms: number): Promise<void>;
}

/**
 * Sends transactions, and finds out how those ended whose connection has broken. It never guesses: what it can't learn is
 * `trp/store-unsettled`.
 */
export class Connection {
  readonly #link: Link;
  readonly #pace: Pace;
  readonly #mistakes: ConnectionMistakes;
  isClosed = false;

  constructor(link: Link, pace: Pace, mistakes: ConnectionMistakes) {
    this.#link = link;
    this.#pace = pace;
    this.#mistakes = mistakes;
  }

  /** A transaction that only reads can be sent as often as one likes. */
  async read<Result>(about: About, act: Act<Result>): Promise<Result> {
    const until = this.#pace.now() + retryForMs;
    for (;;) {
      await this.#reach(until, about);
      const reply = await this.#link.send({ ...about, isRead: true }, act).reply;
      if (reply.status !== "broken") return resultOf(reply);
    }
  }

  async write<Result>(about: About, act: Act<Result>, naively: Naively<Result> = {}): Promise<Result> {
    const until = this.#pace.now() + retryForMs;
    for (let next = act; ; ) {
      await this.#reach(until, about);
      if (this.#link.hasLost()) throw lostWrites();
      const sent = this.#link.send(about, next);
      const reply = await sent.reply;
      if (reply.status !== "broken") return resultOf(reply);
      if (this.#mistakes.takesForDone && naively.done) return naively.done();
      if (this.#mistakes.takesForFailed) {
        next = naively.again ?? next;
        continue;
      }
      const end = await this.#settled(sent);
      if (end === undefined) throw unsettled(about.method);
      if (end !== "never") return resultOf(end);
    }
  }

  /** Waits until the database can be reached. */
  async #reach(until: number, { method }: About): Promise<void> {
    if (this.isClosed) throw new ToolglotError("trp/store-closed", "The store (simulated) is closed.");
    for (let pauseMs = 20; !this.#link.isOpen(); pauseMs = Math.min(pauseMs * 2, 500)) {
      if (this.#pace.now() >= until) {
        throw new ToolglotError("trp/store-unavailable", `The database is not reachable: ${method}.`);
      }
      await this.#pace.sleep(pauseMs);
    }
  }

  /** Waits for the end of the old connection, and asks whether it has committed. Undefined when that can't be learned. */
  async #settled<Result>(sent: Sent<Result>): Promise<Reply<Result> | "never" | undefined> {
    const until = this.#pace.now() + retryForMs;
    let goneBy = Number.POSITIVE_INFINITY;
    for (;;) {
      await this.#pace.sleep(25);
      if (this.#link.isOpen()) {
        const fate = sent.fate();
        if (fate === "never" || fate !== "working") return fate;
        goneBy = Math.min(goneBy, this.#pace.now() + settleForMs);
      }
      if (this.#pace.now() >= Math.min(until, goneBy)) return undefined;
    }
  }
}

function resultOf<Result>(reply: Reply<Result>): Result {
  if (reply.status === "done") return reply.result;
  throw reply.status === "failed" ? reply.error : new Error("a reply that is none");
}

function unsettled(what: string): ToolglotError {
  const message = `The connection ended in COMMIT, and whether it holds could not be learned: ${what}.`;
  return new ToolglotError("trp/store-unsettled", message, { data: { what } });
}

function lostWrites(): ToolglotError {
  return new ToolglotError("trp/store-lost-writes", "The database has forgotten what it had acknowledged.");
}
