import { onAbort, sleep, untilAborted } from "@toolglot/internal";
import { Client } from "pg";
import type { Settings } from "../options.ts";

/** Between two attempts to connect, at first and at most. Milliseconds. */
const firstPauseMs = 500;
const maxPauseMs = 30_000;

/** What a listener hears. */
export interface Heard {
  message(text: string): void;
  /** It listens from now on. `isAgain`: what was said meanwhile is lost. */
  connected(isAgain: boolean): void;
}

/**
 * A connection of its own that listens to what other processes on the same schema say, from the first time it is used. It is for hints
 * alone: what is said while it is not connected is lost, and no method of the store ever waits for it.
 */
export class Listener {
  readonly #settings: Pick<Settings, "url" | "listenUrl" | "ssl" | "onError">;
  readonly #channel: string;
  readonly #heard: Heard;
  readonly #ending = new AbortController();
  #client: Client | undefined;
  #running: Promise<void> | undefined;

  constructor(settings: Pick<Settings, "url" | "listenUrl" | "ssl" | "schema" | "onError">, heard: Heard) {
    this.#settings = settings;
    // PostgreSQL cuts names to 63 bytes; two long schemas with the same beginning hear each other, which is no harm.
    this.#channel = `${settings.schema.slice(0, 58)}_wake`;
    this.#heard = heard;
  }

  /** Connects, unless its settings say to listen nowhere. */
  start(): void {
    if (this.#settings.listenUrl !== false && !this.#ending.signal.aborted) this.#running ??= this.#run();
  }

  /** Tells all processes that listen, this one too. */
  say(text: string): void {
    // A connection that fails is noticed by its end.
    this.#client?.query("SELECT pg_notify($1, $2)", [this.#channel, text]).catch(() => undefined);
  }

  async close(): Promise<void> {
    this.#ending.abort();
    await this.#running;
  }

  async #run(): Promise<void> {
    const { signal } = this.#ending;
    let isAgain = false;
    for (let pauseMs = firstPauseMs; !signal.aborted; ) {
      try {
        const { over } = await this.#connect();
        pauseMs = firstPauseMs;
        this.#heard.connected(isAgain);
        isAgain = true;
        await over;
      } catch (error) {
        if (!signal.aborted) this.#settings.onError(error as Error);
      }
      this.#client = undefined;
      // Not all processes at the same moment.
      await sleep(pauseMs * (0.5 + Math.random() / 2), signal);
      pauseMs = Math.min(maxPauseMs, pauseMs * 2);
    }
  }

  /** Resolves once it listens, with what resolves when the connection has ended. */
  async #connect(): Promise<{ over: Promise<void> }> {
    const { url, listenUrl, ssl } = this.#settings;
    const { signal } = this.#ending;
    const client = new Client({
      connectionString: listenUrl === false ? url : listenUrl,
      connectionTimeoutMillis: 5_000,
      keepAlive: true,
      application_name: this.#channel,
      ...(ssl !== undefined && { ssl }),
    });
    const over = new Promise<void>((resolve) => client.once("end", resolve));
    client.on("error", () => undefined);
    client.on("notification", ({ payload = "" }) => this.#heard.message(payload));
    // TLS replaces it.
    const stream = (): { ref?(): void; unref?(): void } =>
      (client as unknown as { connection: { stream: object } }).connection.stream;
    const stopListening = onAbort(signal, () => {
      stream().ref?.();
      void client.end().catch(() => undefined);
    });
    void over.then(stopListening);
    try {
      await untilAborted(client.connect(), signal);
      // It keeps no process alive.
      stream().unref?.();
      await untilAborted(client.query(`LISTEN "${this.#channel}"`), signal);
    } catch (error) {
      stopListening();
      void client.end().catch(() => undefined);
      throw error;
    }
    this.#client = client;
    return { over };
  }
}
