import type { Client } from "@modelcontextprotocol/client";
import { onAbort, sleep } from "@toolglot/internal";

/** Milliseconds before a stream that broke off is opened again. */
const pauseMs = 1_000;

/**
 * Subscriptions to resources at a server of the newest revision, which has a stream for each in place of `resources/subscribe` and
 * `resources/unsubscribe`.
 */
export class ResourceStreams {
  readonly #client: Client;
  readonly #wanted = new Map<string, AbortController>();

  constructor(client: Client) {
    this.#client = client;
  }

  /** Resolves when the server has taken it. Rejects when it does not. */
  async subscribe(uri: string, timeout: number): Promise<void> {
    if (this.#wanted.has(uri)) return;
    const life = new AbortController();
    this.#wanted.set(uri, life);
    try {
      void this.#keep(uri, life, await this.#listen(uri, timeout, life), timeout);
    } catch (error) {
      if (this.#wanted.get(uri) === life) this.#wanted.delete(uri);
      throw error;
    }
  }

  unsubscribe(uri: string): void {
    this.#wanted.get(uri)?.abort();
    this.#wanted.delete(uri);
  }

  /** Ends all of them. */
  close(): void {
    for (const uri of [...this.#wanted.keys()]) this.unsubscribe(uri);
  }

  /** Resolves with a promise of the stream's end. */
  async #listen(uri: string, timeout: number, life: AbortController): Promise<{ end: Promise<unknown> }> {
    const stream = await this.#client.listen({ resourceSubscriptions: [uri] }, { timeout });
    const stopListening = onAbort(life.signal, () => void stream.close().catch(() => {}));
    return { end: stream.closed.finally(stopListening) };
  }

  async #keep(uri: string, life: AbortController, first: { end: Promise<unknown> }, timeout: number): Promise<void> {
    for (let stream: { end: Promise<unknown> } | undefined = first; ; ) {
      await stream?.end;
      if (!(await sleep(pauseMs, life.signal))) return;
      stream = await this.#listen(uri, timeout, life).catch(() => undefined);
    }
  }
}
