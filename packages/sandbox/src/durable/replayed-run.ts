import type { Lease } from "../pool.ts";
import type { CallWork, DurableProgram, RunKeeper } from "../run/durability.ts";
import { GuestSession, type Session, type SessionListener, type SessionRules } from "../run/guest-session.ts";
import type { SandboxRun } from "../run-types.ts";
import { failedRun, missingCall } from "./errors.ts";
import { highest, type KeptCalls, type RunHeader } from "./records.ts";
import { newCall } from "./replay-errors.ts";
import { ReplayedCalls } from "./replayed-calls.ts";
import type { SandboxRunParked } from "./types.ts";

type Outcome = SandboxRun | SandboxRunParked;

/** A call that has no answer in the journal ends the run as `Diverged`: nothing is done. */
class OldCalls extends ReplayedCalls {
  readonly #program: DurableProgram;

  constructor(kept: KeptCalls, program: DurableProgram) {
    super(kept, program);
    this.#program = program;
  }

  protected override async begin({ pending: { index, call } }: CallWork): Promise<void> {
    this.#program.fail(newCall(index, call.name, call.args));
  }
}

/** Runs a program again that has ended. Nothing is called, and nothing is written. */
export class ReplayedRun implements RunKeeper {
  readonly request: Readonly<Record<string, unknown>>;
  readonly toolMs: number;
  readonly calls: ReplayedCalls;
  readonly #program: DurableProgram;

  constructor({ clock, timeZone }: RunHeader, calls: KeptCalls, program: DurableProgram) {
    this.request = { clock, timeZone };
    this.toolMs = highest(calls, "toolMs", 0);
    this.calls = new OldCalls(calls, program);
    this.#program = program;
  }

  openSession({ guest }: Lease, rules: SessionRules, listener: SessionListener): Session {
    return new GuestSession(guest, rules, listener);
  }

  isReplayed(): boolean {
    return true;
  }

  rest(): void {
    void this.calls.admitted().then(() => {
      const { missing } = this.calls;
      if (missing && this.#program.resting) this.#program.fail(missingCall(missing));
    });
  }

  async end(run: Outcome, by: "program" | "host"): Promise<Outcome> {
    void this.calls.stop();
    const { missing } = this.calls;
    return by === "program" && missing ? failedRun(run, missingCall(missing)) : run;
  }
}
