import type { Process } from "./virtual-time.ts";

/** Something that will happen. */
export interface TimedEvent {
  readonly at: number;
  /** The order of those of one time. */
  readonly order: number;
  readonly process: Process | undefined;
  readonly act: () => void;
  isCancelled: boolean;
}

/** Events by their time; those of one time in the order in which they were added. A binary heap. */
export class EventQueue {
  readonly #heap: TimedEvent[] = [];
  #count = 0;

  add(at: number, process: Process | undefined, act: () => void): TimedEvent {
    const event: TimedEvent = { at, order: this.#count++, process, act, isCancelled: false };
    const heap = this.#heap;
    let index = heap.length;
    while (index > 0) {
      const parent = (index - 1) >> 1;
      if (isBefore(heap[parent] as TimedEvent, event)) break;
      heap[index] = heap[parent] as TimedEvent;
      index = parent;
    }
    heap[index] = event;
    return event;
  }

  /** Takes the first event, when it comes no later than `until`. */
  take(until: number): TimedEvent | undefined {
    for (;;) {
      const first = this.#heap[0];
      if (first === undefined || first.at > until) return undefined;
      this.#removeFirst();
      if (!first.isCancelled) return first;
    }
  }

  #removeFirst(): void {
    const heap = this.#heap;
    const last = heap.pop() as TimedEvent;
    if (heap.length === 0) return;
    let index = 0;
    for (;;) {
      let child = 2 * index + 1;
      if (child >= heap.length) break;
      if (child + 1 < heap.length && isBefore(heap[child + 1] as TimedEvent, heap[child] as TimedEvent)) child += 1;
      if (isBefore(last, heap[child] as TimedEvent)) break;
      heap[index] = heap[child] as TimedEvent;
      index = child;
    }
    heap[index] = last;
  }
}

function isBefore(one: TimedEvent, other: TimedEvent): boolean {
  return one.at < other.at || (one.at === other.at && one.order < other.order);
}
