import type { AnyTool } from "@toolglot/core";
import type { Engine, Guest, GuestListener, GuestMessage } from "../../../src/engine.ts";
import { resolveLimits } from "../../../src/limits.ts";
import { ProgramRun } from "../../../src/run/program-run.ts";
import { bindTools } from "../../../src/run/tools.ts";
import type { SandboxRun } from "../../../src/run-types.ts";
import type { SandboxLimits, SandboxRunOptions } from "../../../src/types.ts";

/** A guest under somebody else's control: it does whatever `act` does with it. */
export class HostileGuest implements Guest {
  readonly ready: Promise<void> = Promise.resolve();
  readonly ended: Promise<void>;
  /** What the host sent, read as JSON. */
  readonly heard: GuestMessage[] = [];
  killed = false;
  #listener: GuestListener | undefined;
  #markEnded: () => void = () => {};
  readonly #onHeard: (message: GuestMessage, guest: HostileGuest) => void;

  constructor(onHeard: (message: GuestMessage, guest: HostileGuest) => void) {
    this.#onHeard = onHeard;
    this.ended = new Promise((resolve) => {
      this.#markEnded = resolve;
    });
  }

  listen(listener: GuestListener): void {
    this.#listener = listener;
  }

  send(json: string): void {
    const message = JSON.parse(json) as GuestMessage;
    this.heard.push(message);
    // As a thread would: never within the host's own call.
    setImmediate(() => this.#onHeard(message, this));
  }

  /** Says something, also after it was killed, as what was on its way then. */
  say(...messages: unknown[]): void {
    for (const message of messages) {
      this.#listener?.onMessage(message as GuestMessage, JSON.stringify(message)?.length ?? 0);
    }
  }

  /** Ends as if it had broken. */
  end(): void {
    this.#listener?.onEnd("it is gone");
    this.#markEnded();
  }

  kill(): void {
    this.killed = true;
    this.#markEnded();
  }

  hold(): void {}
}

const engine: Engine = {
  language: "javascript",
  label: "hostile",
  concurrent: true,
  isolation: "worker",
  prepare: async () => {},
  spawn: () => new HostileGuest(() => {}),
  snapshot: "none",
};

const limits = { timeoutMs: 150, toolTimeMs: 1000, maxToolCalls: 5, maxLogBytes: 1000 };

/** Options of a run, and limits besides those above. */
export type HostileOptions = SandboxRunOptions & { limits?: Partial<SandboxLimits> };

/** Runs a program in this guest, which may be anything, and ends it. */
export async function runGuest(guest: Guest, tools: readonly AnyTool[], options: HostileOptions): Promise<SandboxRun> {
  const run = new ProgramRun({
    code: "line 1\nline 2",
    engine,
    limits: resolveLimits("javascript", { ...limits, ...options.limits }),
    tools: bindTools(tools, [], "javascript"),
    imports: "refuse",
    style: "attp",
    guard: true,
    seed: "",
    callIdPrefix: "run",
    options,
    signal: options.signal ?? new AbortController().signal,
  });
  return await run.execute(async () => {
    await guest.ready;
    return { guest, warm: false, reused: 0, release: () => guest.kill() };
  });
}

/** Runs a program whose interpreter is such a guest. */
export function runHostile(
  guest: HostileGuest,
  tools: readonly AnyTool[],
  options: HostileOptions = {},
): Promise<SandboxRun> {
  return runGuest(guest, tools, options);
}
