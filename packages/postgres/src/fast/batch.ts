/** What has been asked for, and is not answered yet. */
interface Waiting<Item, Result> {
  item: Item;
  names: readonly string[];
  at: Place | undefined;
  length: number;
  resolve(result: Result): void;
  reject(error: unknown): void;
}

/** A place in a chain: items of a chain go in order. */
export interface Place {
  chain: string;
  place: number;
}

export interface BatchOptions<Item> {
  /** What an item changes. Of items with a name in common one waits for the answer to the other. */
  names(item: Item): readonly string[];
  /** Items of a chain go together only when their places follow one another; else one waits for the answer to the other. */
  placeOf?(item: Item): Place | undefined;
  /** Whether an error may be that of one item: then each of them is sent alone. Default: never. */
  isOfOne?(error: unknown): boolean;
  /** Sent at most together. Default 64. */
  most?: number;
  /** Characters of an item's texts, of which {@link mostText} go together: large ones would make all others wait, or fail with them. */
  lengthOf?(item: Item): number;
  /** Batches under way at the same time. Default 2. */
  lanes?: number;
  /** So many that were asked for don't wait for the others of their round, while a lane is free. Default 16. */
  soon?: number;
}

const defaults = { placeOf: () => undefined, isOfOne: () => false, lengthOf: () => 0, most: 64, lanes: 2, soon: 16 };
/** Characters that a batch has at most, unless a single item has more. */
export const mostText = 1_000_000;

/**
 * Sends what is asked for at the same time as one statement: a statement, its plan and its commit cost much more than a row. What is
 * asked for while all lanes are taken waits for the next batch, so that batches grow with the load. Callers that got their answers together ask
 * together again: were they sent together, this process would have nothing to do while the database works, and the database nothing
 * while this process works. So a part of them goes ahead.
 */
export class Batch<Item, Result> {
  readonly #send: (items: readonly Item[]) => Promise<readonly Result[]>;
  readonly #options: Required<BatchOptions<Item>>;
  #waiting: Waiting<Item, Result>[] = [];
  /** Names and chains of what is under way. */
  readonly #taken = new Set<string>();
  #underWay = 0;
  #isDue = false;
  /** How many were asked for since batches were last filled. */
  #asked = 0;

  /** `send` resolves to a result for each item. When it rejects, all its items do. */
  constructor(send: (items: readonly Item[]) => Promise<readonly Result[]>, options: BatchOptions<Item>) {
    this.#send = send;
    this.#options = { ...defaults, ...options };
  }

  ask(item: Item): Promise<Result> {
    const { names, placeOf, lengthOf, soon } = this.#options;
    return new Promise((resolve, reject) => {
      const [length, at] = [lengthOf(item), placeOf(item)];
      this.#waiting.push({ item, names: names(item), at, length, resolve, reject });
      if (++this.#asked >= soon) this.#fill();
      if (this.#isDue) return;
      this.#isDue = true;
      // Whoever asks in the same round of the event loop goes with it.
      setImmediate(() => {
        this.#isDue = false;
        this.#fill();
      });
    });
  }

  #fill(): void {
    this.#asked = 0;
    while (this.#waiting.length > 0 && this.#underWay < this.#options.lanes) {
      const batch = this.#take();
      if (batch.length === 0) return;
      void this.#run(batch);
    }
  }

  /** Takes what may go together, in the order in which it was asked for. */
  #take(): Waiting<Item, Result>[] {
    const { most } = this.#options;
    let total = 0;
    const batch: Waiting<Item, Result>[] = [];
    const left: Waiting<Item, Result>[] = [];
    const places = new Map<string, number>();
    const blocked = new Set(this.#taken);
    for (const one of this.#waiting) {
      const { at, length, names: own } = one;
      const isNext = at === undefined || (places.get(at.chain) ?? at.place - 1) === at.place - 1;
      const isRoom = batch.length === 0 || (batch.length < most && total + length <= mostText);
      const isFree = isNext && isRoom && !(at && blocked.has(at.chain)) && !own.some((name) => blocked.has(name));
      (isFree ? batch : left).push(one);
      if (isFree) total += length;
      for (const name of own) blocked.add(name);
      if (at === undefined) continue;
      if (isFree) places.set(at.chain, at.place);
      else blocked.add(at.chain);
    }
    for (const one of batch) for (const name of namesOf(one)) this.#taken.add(name);
    this.#waiting = left;
    return batch;
  }

  async #run(batch: readonly Waiting<Item, Result>[]): Promise<void> {
    this.#underWay += 1;
    try {
      const results = await this.#send(batch.map(({ item }) => item));
      for (const [at, { resolve }] of batch.entries()) resolve(results[at] as Result);
    } catch (error) {
      if (batch.length > 1 && this.#options.isOfOne(error)) await this.#runEach(batch);
      else for (const { reject } of batch) reject(error);
    } finally {
      this.#underWay -= 1;
      for (const one of batch) for (const name of namesOf(one)) this.#taken.delete(name);
      this.#fill();
    }
  }

  async #runEach(batch: readonly Waiting<Item, Result>[]): Promise<void> {
    for (const { item, resolve, reject } of batch) {
      await this.#send([item]).then(([result]) => resolve(result as Result), reject);
    }
  }
}

/** With the chain, which waits like a name. */
const namesOf = ({ names, at }: Pick<Waiting<unknown, unknown>, "names" | "at">): readonly string[] =>
  at === undefined ? names : [...names, at.chain];

/**
 * Returns the names under which a statement for batches is prepared, by the number of items that are sent now. To plan such a statement costs more
 * than to run it, and the server keeps the plan of a name, made for the tables as they were: under load they may grow faster than it
 * gathers statistics, so that it scans what had been small. So there is a new name, and a new plan, when the tables are no longer small; those of
 * thousands of rows are planned for like larger ones.
 */
export function planNames(name: string): (count: number) => string {
  let sent = 0;
  return (count) => {
    sent += count;
    return `${name} ${sent < 256 ? 0 : sent < 4_096 ? 1 : 2}`;
  };
}
