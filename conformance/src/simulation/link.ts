import type { About, Act, Database } from "./database.ts";
import type { Random } from "./random.ts";
import type { Process, VirtualTime } from "./virtual-time.ts";

/** How a request ended, as its sender sees it. `broken`: the connection ended, and whether it was committed is not known. */
export type Reply<Result> =
  | { status: "done"; result: Result }
  | { status: "failed"; error: unknown }
  | { status: "broken" };

/** A request that was sent. */
export interface Sent<Result> {
  readonly reply: Promise<Reply<Result>>;
  /** What the database says of it later: whether it was committed, or `working` while it still may be. */
  fate(): Reply<Result> | "never" | "working";
}

/** The way from a process to the database. */
export interface Link {
  send<Result>(about: About, act: Act<Result>): Sent<Result>;
  /** Whether the database can be reached now. */
  isOpen(): boolean;
  /** Whether the database has forgotten what it had acknowledged to this process. */
  hasLost(): boolean;
}

/** The way without a distance, for a store that is nothing but a store. */
export function directLink(database: Database): Link {
  return {
    send: (about, act) => {
      const reply = database.commit(about, act).then(
        (result) => ({ status: "done" as const, result }),
        (error) => ({ status: "failed" as const, error }),
      );
      return { reply, fate: () => "working" };
    },
    isOpen: () => true,
    hasLost: () => false,
  };
}

interface Request {
  about: About;
  commit(): Promise<void>;
  /** Where it is: nothing is committed from `gone` on. */
  state: "travelling" | "waiting" | "committed" | "gone";
  broken: () => void;
}

/** How slow the way and the database are. */
export interface Delays {
  /** The longest of most ways, in milliseconds; a few take forty times as long. */
  usualMs: number;
  /** How long transactions wait for locks, at most, right now. */
  lockMs: number;
}

/** A way on which messages take time, and that can be cut; what was under way then has an end that nobody has told. */
export class NetworkLink implements Link {
  isCut = false;
  readonly #time: VirtualTime;
  readonly #random: Random;
  readonly #database: Database;
  readonly #process: Process;
  readonly #delays: Delays;
  readonly #open = new Set<Request>();
  #doomed = 0;
  #moment: { commits: number; act: () => void } | undefined;
  /** The newest transaction that was acknowledged to this process, and in which timeline. */
  #acknowledged = 0;
  #timeline: number;

  constructor(world: { time: VirtualTime; random: Random; database: Database; delays: Delays }, process: Process) {
    this.#time = world.time;
    this.#random = world.random.fork();
    this.#database = world.database;
    this.#delays = world.delays;
    this.#process = process;
    this.#timeline = world.database.timeline;
  }

  isOpen(): boolean {
    return this.#database.isUp && !this.isCut;
  }

  hasLost(): boolean {
    const { timeline, forkedAt } = this.#database;
    if (this.#timeline === timeline) return false;
    if (this.#acknowledged > forkedAt) return true;
    this.#timeline = timeline;
    return false;
  }

  /** Somebody has seen what was lost, and says: go on. */
  accept(): void {
    this.#timeline = this.#database.timeline;
    this.#acknowledged = this.#database.position;
  }

  send<Result>(about: About, act: Act<Result>): Sent<Result> {
    let end: Reply<Result> | undefined;
    let resolve: (reply: Reply<Result>) => void = () => {};
    const reply = new Promise<Reply<Result>>((done) => {
      resolve = done;
    });
    const { timeline } = this.#database;
    const commit = async (): Promise<void> => {
      request.state = "committed";
      const lost = (): void => {
        request.state = "gone";
      };
      try {
        end = { status: "done", result: await this.#database.commit(about, act, lost) };
      } catch (error) {
        end = { status: "failed", error };
      }
      this.#time.note(`db ${this.#process.name} ${about.method} ${brief(end)}`);
      const { position } = this.#database;
      if (!about.isRead) this.#countDown();
      if (!this.#open.has(request) || this.isCut) return;
      this.#time.after(this.#travel(), this.#process, () => {
        if (!this.#open.delete(request)) return;
        if (this.#timeline === timeline) this.#acknowledged = Math.max(this.#acknowledged, position);
        resolve(end as Reply<Result>);
      });
    };
    const request: Request = {
      about,
      commit,
      state: "travelling",
      broken: () => {
        this.#open.delete(request);
        resolve({ status: "broken" });
      },
    };
    this.#open.add(request);
    this.#time.after(this.#travel(), undefined, () => this.#arrive(request));
    return {
      reply,
      fate: () => {
        if (request.state === "committed" && end !== undefined) return end;
        return request.state === "gone" ? "never" : "working";
      },
    };
  }

  /**
   * All connections of this process end. `within`: how long the database takes to notice, in milliseconds; until then it goes on
   * with what it has got. At once: what it was working at is committed or not, and nobody is told.
   */
  breakAll(within: number): void {
    for (const request of [...this.#open]) {
      this.#time.after(this.#random.between(0, 300), this.#process, request.broken);
      if (within > 0) this.#time.after(this.#random.between(0, within), undefined, () => this.#drop(request));
      else if (request.state === "waiting" && this.#random.chance(0.5)) void request.commit();
      else this.#drop(request);
    }
  }

  /** Does something at the moment when the so-many-th transaction from now is committed, and nobody knows of it yet. */
  atCommit(commits: number, act: () => void): void {
    this.#moment = { commits, act };
  }

  /** The next so many transactions find their connections ended by the database in the middle of what they do. */
  doom(transactions: number): void {
    this.#doomed += transactions;
  }

  #countDown(): void {
    if (this.#moment === undefined || --this.#moment.commits > 0) return;
    const { act } = this.#moment;
    this.#moment = undefined;
    act();
  }

  #arrive(request: Request): void {
    if (request.state !== "travelling") return;
    if (!this.#database.isUp) {
      this.#drop(request);
      this.#time.after(this.#travel(), this.#process, request.broken);
      return;
    }
    if (this.isCut && !this.#open.has(request)) return;
    request.state = "waiting";
    if (this.#doomed > 0) {
      this.#doomed -= 1;
      this.breakAll(0);
      return;
    }
    const wait = this.#random.mostlyNear(0.2, 1 + this.#delays.lockMs);
    this.#time.after(wait, undefined, () => {
      if (request.state === "waiting") void request.commit();
    });
  }

  #drop(request: Request): void {
    if (request.state === "committed" || request.state === "gone") return;
    request.state = "gone";
  }

  #travel(): number {
    const { usualMs } = this.#delays;
    return this.#random.mostlyNear(0.2, this.#random.chance(0.02) ? usualMs * 40 : usualMs);
  }
}

function brief(reply: Reply<unknown>): string {
  if (reply.status !== "done") return reply.status === "failed" ? `fails: ${String(reply.error)}` : reply.status;
  const { result } = reply;
  if (typeof result !== "object" || result === null) return String(result);
  const { status, state, fence, claim } = result as Record<string, unknown>;
  const number = fence ?? (claim as { fence?: number } | undefined)?.fence;
  return [status, state, number].filter((part) => part !== undefined).join(" ");
}
