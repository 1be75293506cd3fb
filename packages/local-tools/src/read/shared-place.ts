/** For the path of the file that is looked at. */
const pathBytes = 1 << 16;
/** Of three numbers: what was begun, the path's length, and what was answered. */
const headBytes = 12;

/** What a thread looks at, written into shared memory: others can read it while the thread runs. */
export class SharedPlace {
  readonly shared: SharedArrayBuffer;
  readonly #numbers: Int32Array;
  readonly #path: Buffer;

  constructor(shared: SharedArrayBuffer = new SharedArrayBuffer(headBytes + pathBytes)) {
    this.shared = shared;
    this.#numbers = new Int32Array(shared, 0, 3);
    this.#path = Buffer.from(shared, headBytes);
  }

  begin(shown: string): void {
    this.#numbers[1] = this.#path.write(shown);
    Atomics.add(this.#numbers, 0, 1);
  }

  /** How often it has begun to look at something. */
  get begun(): number {
    return Atomics.load(this.#numbers, 0);
  }

  /** What it looks at; empty when it has not begun. */
  get shown(): string {
    return this.#path.toString("utf8", 0, Atomics.load(this.#numbers, 1));
  }

  /** How often it has answered; less than 0 when it ended. */
  get answered(): number {
    return Atomics.load(this.#numbers, 2);
  }

  /** Wakes who waits for an answer. */
  answer(): void {
    Atomics.add(this.#numbers, 2, 1);
    Atomics.notify(this.#numbers, 2);
  }

  end(): void {
    Atomics.store(this.#numbers, 2, -1);
    Atomics.notify(this.#numbers, 2);
  }

  /** Waits, some milliseconds at most, as long as there are so many answers. */
  wait(answered: number, ms: number): void {
    Atomics.wait(this.#numbers, 2, answered, ms);
  }

  /** Nothing has begun. */
  clear(): void {
    Atomics.store(this.#numbers, 0, 0);
    Atomics.store(this.#numbers, 1, 0);
  }
}
