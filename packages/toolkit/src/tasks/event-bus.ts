import { checkKeys, onAbort } from "@toolglot/internal";

/** Anything published on a bus: a type, and what belongs to it. */
export interface BusEvent {
  type: string;
}

/**
 * Typed events for any number of listeners, in the order in which they were published. A listener that throws harms
 * neither the others nor the publisher: the error is handed to `onListenerError`, by default thrown on its own later.
 */
export class EventBus<Event extends BusEvent> {
  readonly #listeners = new Set<(event: Event) => void>();
  readonly #onListenerError: (error: unknown) => void;

  constructor(options: { onListenerError?: (error: unknown) => void } = {}) {
    checkKeys("new EventBus", options, "onListenerError:function");
    this.#onListenerError = options.onListenerError ?? ((error) => queueMicrotask(() => rethrow(error)));
  }

  /** Calls the listener for all events, or those of one type, from now on. The returned function ends that; so does the signal. */
  subscribe(listener: (event: Event) => void, options?: { signal?: AbortSignal }): () => void;
  subscribe<Type extends Event["type"]>(
    type: Type,
    listener: (event: Extract<Event, { type: Type }>) => void,
    options?: { signal?: AbortSignal },
  ): () => void;
  subscribe(
    first: string | ((event: Event) => void),
    second?: ((event: never) => void) | { signal?: AbortSignal },
    third?: { signal?: AbortSignal },
  ): () => void {
    const typed = typeof first === "string";
    const given = (typed ? second : first) as ((event: Event) => void) | undefined;
    if (typeof given !== "function") throw new TypeError("subscribe takes a listener, or a type and a listener");
    const listener = typed ? (event: Event): void => (event.type === first ? given(event) : undefined) : given;
    // A function of its own, so that one listener can subscribe twice.
    const entry = (event: Event): void => listener(event);
    const options = typed ? third : (second as { signal?: AbortSignal } | undefined);
    checkKeys("subscribe", options, "signal:signal");
    this.#listeners.add(entry);
    const stopListening = onAbort(options?.signal, () => this.#listeners.delete(entry));
    return () => {
      this.#listeners.delete(entry);
      stopListening();
    };
  }

  /** Calls all listeners, synchronously. */
  publish(event: Event): void {
    for (const listener of [...this.#listeners]) {
      try {
        listener(event);
      } catch (error) {
        this.#onListenerError(error);
      }
    }
  }

  /**
   * Events from now on, until the loop is left or the signal aborts. Those not yet taken are kept, so a reader that never
   * reads must be ended: by `return()`, or by the signal.
   */
  events(options: { signal?: AbortSignal } = {}): AsyncIterableIterator<Event, void, undefined> {
    checkKeys("events", options, "signal:signal");
    const waiting: Event[] = [];
    let ended = false;
    let stopListening = (): void => {};
    const readers: ((result: IteratorResult<Event, void>) => void)[] = [];
    const unsubscribe = this.subscribe((event) => {
      const reader = readers.shift();
      if (reader) reader({ done: false, value: event });
      else waiting.push(event);
    });
    const end = (): void => {
      ended = true;
      waiting.length = 0;
      unsubscribe();
      stopListening();
      for (const reader of readers.splice(0)) reader({ done: true, value: undefined });
    };
    stopListening = onAbort(options.signal, end);
    return {
      [Symbol.asyncIterator]() {
        return this;
      },
      async next() {
        const value = waiting.shift();
        if (value !== undefined) return { done: false, value };
        if (ended) return { done: true, value: undefined };
        return new Promise((resolve) => readers.push(resolve));
      },
      async return() {
        end();
        return { done: true, value: undefined };
      },
    };
  }
}

function rethrow(error: unknown): never {
  throw error;
}
