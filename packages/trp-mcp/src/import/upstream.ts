import { ToolglotError } from "@toolglot/core";
import { errorText, inBackground } from "@toolglot/internal";
import type { McpClient } from "@toolglot/toolkit";
import type { ServerState } from "../types.ts";
import type { Notices } from "./notices.ts";

/** Pauses before a server is tried again: 1, 2, 4 … 60 seconds. */
const firstPauseMs = 1_000;
const maxPauseMs = 60_000;
/** A server that ended so often in a minute is left alone for one. */
const maxEnds = 5;
const minuteMs = 60_000;

/** Keeps a server connected: tries again after a pause, and leaves one alone that ends all the time. */
export class Upstream {
  readonly #client: McpClient;
  readonly #greet: () => Promise<void>;
  readonly #notices: Notices;
  readonly #stop: () => void;
  /** When its session ended, or could not be opened; of the last minute. */
  #ends: number[] = [];
  /** How many there were. */
  #endCount = 0;
  #downUntil = 0;
  #failures = 0;
  #restarts = 0;
  #isUp = false;
  #hasEnded = false;
  #reason: string | undefined;
  /** What was reported last of a server that is not there. */
  #reported: string | undefined;
  #needsLogin = false;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #trying: Promise<void> | undefined;
  #closed = false;

  /** `greet`: what is done with a server that is there. It connects, and rejects when it can't. */
  constructor(client: McpClient, greet: () => Promise<void>, notices: Notices) {
    this.#client = client;
    this.#greet = greet;
    this.#notices = notices;
    this.#stop = client.onEnded(() => this.#onEnd("its session ended"));
  }

  state(): ServerState {
    const downUntil = this.#downUntil > Date.now() ? this.#downUntil : undefined;
    return {
      up: this.#isUp,
      restarts: this.#restarts,
      ...(downUntil !== undefined && { downUntil }),
      ...(!this.#isUp && this.#reason !== undefined && { reason: this.#reason }),
      ...(!this.#isUp && this.#needsLogin && { needsLogin: true }),
    };
  }

  /** Why the server is not to be asked now; undefined when it is. */
  down(): string | undefined {
    if (this.#downUntil <= Date.now()) return undefined;
    const until = new Date(this.#downUntil).toISOString();
    const name = JSON.stringify(this.#client.name);
    return `The MCP server ${name} is not available: it ended ${maxEnds} times in a minute, and is tried again at ${until}.`;
  }

  /** Tries the server now, or as soon as it is not left alone any more. Resolves when it was tried. Never rejects. */
  async try(): Promise<void> {
    if (this.#closed) return;
    if (this.down() !== undefined) return this.#later(this.#downUntil - Date.now());
    this.#trying ??= this.#attempt().finally(() => {
      this.#trying = undefined;
    });
    await this.#trying;
  }

  /** A call had no answer: whether the server is there is found out soon. `unreached`: it could not even be sent. */
  suspect(unreached: boolean): void {
    if (unreached && !this.#client.connected) this.#onEnd("it could not be reached");
    else this.#later(firstPauseMs);
  }

  /** Something was begun with the server that nobody waits for: where it fails, that is looked into, unless its end is known already. */
  async mind(work: Promise<void>): Promise<void> {
    const known = this.#endCount;
    await work.catch(() => {
      if (known === this.#endCount) this.suspect(true);
    });
  }

  /** The server is there: somebody else has found out. */
  met(): void {
    if (this.#hasEnded) this.#restarts += 1;
    this.#hasEnded = false;
    this.#isUp = true;
    this.#needsLogin = false;
    this.#failures = 0;
    this.#reason = undefined;
    // One that is left alone is there, and not to be asked.
    if (this.#reported === undefined || this.down() !== undefined) return;
    this.#reported = undefined;
    this.#notices.notify({ kind: "up", message: "The server is available again." });
  }

  close(): void {
    this.#closed = true;
    this.#isUp = false;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#stop();
  }

  async #attempt(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const known = this.#endCount;
    try {
      await this.#greet();
      if (!this.#closed) this.met();
    } catch (error) {
      // The end of its session in the middle of this is one end, not two.
      if (!this.refuses(error) && known === this.#endCount) this.#onEnd(errorText(error));
    }
  }

  /** Notes that the server wants a login, if that is what an error means: no fault of the server, so it is not asked more and more often. */
  refuses(error: unknown): boolean {
    this.#needsLogin = wantsLogin(error);
    if (!this.#needsLogin) return false;
    this.#hasEnded ||= this.#isUp;
    this.#isUp = false;
    this.#reason = errorText(error);
    this.#reportDown();
    this.#later(maxPauseMs);
    return true;
  }

  /** Tells that the server is not there, once for each reason. */
  #reportDown(): void {
    const message = this.down() ?? `The server is not available: ${this.#reason}`;
    if (message !== this.#reported) this.#notices.notify({ kind: "down", message });
    this.#reported = message;
  }

  #onEnd(reason: string): void {
    if (this.#closed) return;
    const now = Date.now();
    this.#hasEnded ||= this.#isUp;
    this.#isUp = false;
    this.#reason = reason;
    this.#failures += 1;
    this.#endCount += 1;
    this.#ends = [...this.#ends.filter((at) => at + minuteMs > now), now];
    if (this.#ends.length >= maxEnds) {
      this.#ends = [];
      this.#downUntil = now + minuteMs;
    }
    this.#reportDown();
    const pause = Math.min(firstPauseMs * 2 ** (this.#failures - 1), maxPauseMs);
    this.#later(Math.max(pause, this.#downUntil - now));
  }

  #later(ms: number): void {
    if (this.#closed || this.#timer !== undefined) return;
    this.#timer = inBackground(() => {
      this.#timer = undefined;
      void this.try();
    }, ms);
  }
}

/** Whether an error means that the server wants a login. */
export function wantsLogin(error: unknown): boolean {
  return ToolglotError.isInstance(error) && error.code === "toolkit/mcp-unauthorised";
}
