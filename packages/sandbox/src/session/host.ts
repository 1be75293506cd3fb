import type { AnyTool } from "@toolglot/core";
import type { SandboxRunParked } from "../durable/types.ts";
import type { Engine } from "../engine.ts";
import type { Lease } from "../pool.ts";
import type { RunRequest } from "../run/types.ts";
import type { SandboxRun } from "../run-types.ts";
import type { SandboxRunOptions } from "../types.ts";
import type { SandboxSession, SessionOptions } from "./types.ts";

/** Services of a sandbox for its sessions. */
export interface SessionHost {
  readonly engine: Engine;
  /** Whether programs are checked before they run. */
  readonly isGuarded: boolean;
  /** Throws `TypeError` for tools that programs can't have. */
  checkTools(tools: readonly AnyTool[]): void;
  /**
   * Runs a program as any other, in an interpreter of the domain that `lend` has made ready for it, and gets to keep. `keep` runs it in
   * place of the sandbox.
   */
  execute(
    code: string,
    options: SandboxRunOptions,
    how: {
      domain: string;
      session: { held: string; reseed: boolean; maxFileBytes: number };
      lend(lease: Lease): Promise<Lease>;
      keep?:
        | ((request: RunRequest, acquire: () => Promise<Lease>) => Promise<SandboxRun | SandboxRunParked>)
        | undefined;
    },
  ): Promise<SandboxRun | SandboxRunParked>;
  /** Ends idle interpreters of a domain. */
  forget(domain: string): void;
}

/** The two ways to a session. */
export interface Sessions {
  openSession(options?: SessionOptions & { id?: string }): Promise<SandboxSession>;
  resumeSession(id: string, options?: SessionOptions & { rebuild?: boolean; begin?: boolean }): Promise<SandboxSession>;
}
