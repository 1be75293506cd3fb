import { Agent, type Heard, isAnswered, nameOf, type Operation, type Wire } from "./agent.ts";
import { Database } from "./database.ts";
import type { Delays } from "./link.ts";
import type { Mistakes } from "./mistakes.ts";
import { drawTroubles, type Troubled } from "./nemesis.ts";
import { ada, Node } from "./node.ts";
import { kinds, Outside } from "./outside.ts";
import { People } from "./people.ts";
import { Random } from "./random.ts";
import { type Frame, saidBy } from "./statements.ts";
import { epoch, Process, VirtualTime } from "./virtual-time.ts";

/** How long things go wrong, and how long agents try. Milliseconds. */
const troubleMs = 25_000;
const patienceMs = 120_000;
/** How long everything has to settle by itself. Milliseconds. */
const calmMs = 40_000;

/** Everything there is in one run, and what happens to it. */
export class World {
  readonly time: VirtualTime;
  readonly database: Database;
  readonly outside: Outside;
  readonly nodes: readonly Node[];
  readonly agents: readonly Agent[];
  readonly people: People;
  readonly counts: Record<string, number> = {};
  /** What was wrong at once, when it was said or written. */
  readonly wrong: string[] = [];
  #isTroubled = true;
  readonly #random: Random;
  readonly #delays: Delays;
  readonly #work: readonly (readonly Operation[])[];

  constructor(seed: number, { mistakes, isTraced }: { mistakes: Mistakes; isTraced: boolean }) {
    const random = new Random(seed);
    this.#random = random;
    const time = new VirtualTime({ isTraced });
    this.time = time;
    this.database = new Database({ now: () => epoch + Math.round(time.now) });
    this.outside = new Outside(time, random);
    this.#delays = { usualMs: random.pick([2, 10, 60]), lockMs: 0 };
    const { database, outside, counts } = this;
    const count = (what: string): void => {
      counts[what] = (counts[what] ?? 0) + 1;
    };
    this.#work = drawWork(random, random.pick([1, 2, 3]));
    const wanted = new Set(this.#work.flat().map(({ kind }) => kind));
    const delays = this.#delays;
    const surroundings = { time, random, database, delays, outside, kinds: wanted, mistakes, count };
    this.nodes = Array.from({ length: random.pick([2, 3, 4]) }, (_, index) => new Node(`r${index + 1}`, surroundings));
    this.people = new People(time, random, this.nodes);
    const wire: Wire = {
      send: (from, frame, heard, waitMs) => this.#send(from, frame, heard, waitMs),
      askPeople: (id, operation) => this.people.ask(id, operation),
    };
    this.agents = this.#work.map((_, index) => new Agent(new Process(`a${index + 1}`), time, random, wire));
  }

  /** Plays it to its end: trouble, quiet, people who settle what is in doubt, and agents who ask again. */
  async play(quiet: () => Promise<void>): Promise<void> {
    const { time, nodes, agents } = this;
    for (const node of nodes) {
      if (this.#random.chance(0.3)) node.process.clockOffMs = this.#random.between(-5 * 3_600_000, 5 * 3_600_000);
      node.start();
    }
    drawTroubles(this.#random, troubleMs, (at, name, act) => {
      time.after(at, undefined, () => this.#trouble(name, act));
    });
    const until = troubleMs + patienceMs;
    const allReady = (): boolean => agents.every(({ isReady }) => isReady);
    for (const [index, agent] of agents.entries()) {
      time.after(1, agent.process, () => void agent.work(this.#work[index] ?? [], until));
    }
    await time.run(until, allReady);
    this.#isTroubled = false;
    await this.#settleDown();
    await quiet();
    this.people.settleAll(this.outside, this.wrong);
    await time.run(time.now + 1_000);
    const later = time.now + patienceMs;
    for (const agent of agents) {
      agent.isReady = false;
      time.after(1, agent.process, () => void agent.lookBack(later));
    }
    await time.run(later, allReady);
    await this.#settleDown();
  }

  /** Waits until nothing is under way any more; a while at most, since all of it has to end by itself. */
  async #settleDown(): Promise<void> {
    const { time, outside, database } = this;
    for (let waited = 0; waited < calmMs; waited += 2_000) {
      await time.run(time.now + 2_000);
      if (database.isUp) for (const { link } of this.nodes) link.accept();
      const begun = await database.look(({ operations }) => operations.list({ states: ["started"], limit: 100 }));
      const isUp = this.nodes.every(({ process, link }) => process.isAlive && !process.isStopped && link.isOpen());
      if (isUp && outside.underWay === 0 && begun.every(isAnswered)) return;
    }
  }

  /** What was said of each operation, by all routers to all agents. */
  heard(): Heard[] {
    const all = new Map<string, Heard>();
    for (const agent of this.agents) {
      for (const [name, heard] of agent.heard) {
        const { said, last } = all.get(name) ?? { said: [], last: heard.last };
        all.set(name, { ...heard, said: [...said, ...heard.said], last: last && heard.last });
      }
    }
    return [...all.values()];
  }

  async #send(from: Process, frame: Frame, heard: Heard | undefined, waitMs: number): Promise<Frame | undefined> {
    const { time } = this;
    const random = this.#random;
    const node = random.pick(this.nodes);
    const way = (): number => random.mostlyNear(0.5, random.chance(0.05) ? 1_500 : 20);
    return await new Promise((resolve) => {
      time.after(waitMs, from, () => resolve(undefined));
      const { process } = node;
      if (node.isCutFromAgents) return;
      if (!process.isAlive) time.after(way(), from, () => resolve(undefined));
      time.after(way(), process, async () => {
        if (node.router === undefined) return time.after(way(), from, () => resolve(undefined));
        time.note(`gets ${frame.frame_type} ${frame.frame_id} seq ${frame.seq} ${frame.payload.call_id ?? ""}`);
        const reply: Frame = await node.router.handle(frame, { principal: ada });
        time.note(`answers ${frame.frame_id}: ${brief(reply)}`);
        if (heard !== undefined) await this.#hear(heard, reply);
        if (!node.isCutFromAgents) time.after(way(), from, () => resolve(reply));
      });
    });
  }

  /** Whoever says that it succeeded has it written down by then. */
  async #hear({ operation, said }: Heard, reply: Frame): Promise<void> {
    const statement = saidBy(reply);
    if (statement === undefined) return;
    said.push(statement);
    this.counts[`told ${statement.told}`] = (this.counts[`told ${statement.told}`] ?? 0) + 1;
    if (statement.told !== "success") return;
    const found = await this.database.look(({ operations }) => operations.list({ states: ["done"], limit: 10_000 }));
    // Under another key, it may have got the outcome of the first one.
    if (found.some((record) => nameOf(record) === operation.name || nameOf(record) === operation.op)) return;
    this.wrong.push(`unrecorded success: ${operation.name} was told to have succeeded, and no record says so`);
  }

  #trouble(name: string, act: (troubled: Troubled) => void): void {
    const { time, database } = this;
    if (!this.#isTroubled) return;
    const node = this.#random.pick(this.nodes);
    this.counts[name] = (this.counts[name] ?? 0) + 1;
    time.note(`trouble: ${name} ${node.name}`);
    const down = async (downMs: number, lagMs: number | undefined): Promise<void> => {
      if (!database.isUp) return;
      database.isUp = false;
      for (const each of this.nodes) each.link.breakAll(0);
      time.after(downMs, undefined, async () => {
        if (lagMs !== undefined)
          await database.promote(lagMs === 0 ? database.position : database.positionBefore(downMs + lagMs));
        database.isUp = true;
        time.note(`the database is back, timeline ${database.timeline}, ${database.lost.length} lost`);
      });
      // Somebody has been told, and says: go on.
      if (lagMs) time.after(downMs + 8_000, undefined, () => this.nodes.map((each) => each.link.accept()));
    };
    act({
      kill: (downMs, commits) => {
        const { process } = node;
        const kill = (): void => {
          if (!process.isAlive || !this.#isTroubled) return;
          node.kill();
          time.after(downMs, undefined, () => node.start());
        };
        if (commits === 0) kill();
        else node.link.atCommit(commits, kill);
      },
      stop: (forMs, commits) => {
        const { process } = node;
        const stop = (): void => {
          if (!process.isAlive || process.isStopped || !this.#isTroubled) return;
          process.isStopped = true;
          time.after(forMs, undefined, () => time.resume(process));
        };
        if (commits === 0) stop();
        else node.link.atCommit(commits, stop);
      },
      cut: (from, forMs, commits) => {
        const { link } = node;
        const cut = (isCut: boolean): void => {
          if (from === "agents") node.isCutFromAgents = isCut;
          else link.isCut = isCut;
        };
        const begin = (): void => {
          if (!this.#isTroubled) return;
          cut(true);
          if (from === "database") link.breakAll(4_000);
          time.after(forMs, undefined, () => cut(false));
        };
        if (commits === 0) begin();
        else link.atCommit(commits, begin);
      },
      terminate: (commits) => node.link.doom(commits),
      restart: (downMs) => void down(downMs, undefined),
      failOver: (downMs, lagMs) => void down(downMs, lagMs),
      lock: (waitMs, forMs) => {
        this.#delays.lockMs = waitMs;
        time.after(forMs, undefined, () => {
          this.#delays.lockMs = 0;
        });
      },
      refuse: (forMs) => {
        node.isRefusing = true;
        time.after(forMs, undefined, () => {
          node.isRefusing = false;
        });
      },
      jump: (byMs) => {
        node.process.clockOffMs += byMs;
      },
    });
  }
}

/** What each agent wants done. Some operations are wanted by two. */
function drawWork(random: Random, agents: number): Operation[][] {
  const work: Operation[][] = Array.from({ length: agents }, () => []);
  let count = 0;
  for (const own of work) {
    const wanted = random.pick([1, 2, 3, 4]);
    for (let index = 0; index < wanted; index++) {
      const op = `op${++count}`;
      const isShared = agents > 1 && random.chance(0.3);
      const way = isShared ? "shared" : random.pick(["plain", "plain", "cancels", "doubled", "gives up"] as const);
      const operation: Operation = {
        op,
        name: op,
        kind: random.chance(0.4) ? "opaque" : random.pick(kinds),
        cancels: way === "cancels",
        isDoubled: way === "doubled",
        givesUp: way === "gives up",
        isAsync: way !== "gives up" && random.chance(0.2),
        insists: !isShared && random.chance(0.5),
      };
      own.push(operation);
      if (isShared) random.pick(work.filter((other) => other !== own)).push(operation);
    }
  }
  return work;
}

function brief({ frame_type, payload }: Frame): string {
  const { status, error_code, result, message } = payload;
  const words = [frame_type, status ?? payload.error?.error_code, error_code, result?.data?.receipt, message];
  return words.filter((word) => word !== undefined).join(" ");
}
