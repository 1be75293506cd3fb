/** Something that will happen. */
export interface TimedEvent<Process> {
  readonly at: number;
  /** The order of those of one time. */
  readonly order: number;
  readonly process: Process | undefined;
  readonly act: () => void;
  isCancelled: boolean;
}

/** Events by their time; those of one time in the order in which they were added. A binary heap. */
export class EventQueue<Process> {
  readonly #heap: TimedEvent<Process>[] = [];
  #count = 0;

  add(at: number, process: Process | undefined, act: () => void): TimedEvent<Process> {
    const event: TimedEvent<Process> = { at, order: this.#count++, process, act, isCancelled: false };
    const heap = this.#heap;
    let index = heap.length;
    while (index > 0) {
      const parent = (index - 1) >> 1;
      if (isBefore(heap[parent] as TimedEvent<Process>, event)) break;
      heap[index] = heap[parent] as TimedEvent<Process>;
      index = parent;
    }
    heap[index] = event;
    return event;
  }

  /** Takes the first event, when it comes no later than `until`. */
  take(until: number): TimedEvent<Process> | undefined {
    for (;;) {
      const first = this.#heap[0];
      if (first === undefined || first.at > until) return undefined;
      this.#removeFirst();
      if (!first.isCancelled) return first;
    }
  }

  #removeFirst(): void {
    const heap = this.#heap;
    const last = heap.pop() as TimedEvent<Process>;
    if (heap.length === 0) return;
    let index = 0;
    for (;;) {
      let child = 2 * index + 1;
      if (child >= heap.length) break;
      if (
        child + 1 < heap.length &&
        isBefore(heap[child + 1] as TimedEvent<Process>, heap[child] as TimedEvent<Process>)
      )
        child += 1;
      if (isBefore(last, heap[child] as TimedEvent<Process>)) break;
      heap[index] = heap[child] as TimedEvent<Process>;
      index = child;
    }
    heap[index] = last;
  }
}

function isBefore<Process>(one: TimedEvent<Process>, other: TimedEvent<Process>): boolean {
  return one.at < other.at || (one.at === other.at && one.order < other.order);
}
