import type { AnyTool } from "@toolglot/core";
import type { SessionStart } from "../durable/records.ts";
import type { DurableSettings } from "../durable/settings.ts";
import type { SandboxRunParked } from "../durable/types.ts";
import type { Engine } from "../engine.ts";
import type { Lease } from "../pool.ts";
import type { SandboxRun, SandboxRunOptions } from "../types.ts";
import type { SandboxSession, SessionOptions } from "./types.ts";

/** How a program of a session is kept in its journal. */
export interface LoggedProgram {
  settings: DurableSettings;
  /** The image that it goes on from. Absent: it runs again beside another one, as its session is made again. */
  start?: SessionStart;
  /** It has ended: no tool is called. */
  isReplay: boolean;
  /** Milliseconds that it may run, when these are fewer than those of the sandbox. */
  timeoutMs?: number;
}

/** What a sandbox does for its sessions. */
export interface SessionHost {
  readonly engine: Engine;
  /** Whether programs are checked before they run. */
  readonly isGuarded: boolean;
  /** Throws `TypeError` for tools that programs can't have. */
  checkTools(tools: readonly AnyTool[]): void;
  /**
   * Runs a program as any other, in an interpreter of the domain that `lend` has made ready for it, and gets to keep. Without `code` that
   * of the journal.
   */
  execute(
    code: string | undefined,
    options: SandboxRunOptions,
    how: {
      domain: string;
      session: { held: string; reseed: boolean; maxFileBytes: number };
      lend(lease: Lease): Promise<Lease>;
      log?: LoggedProgram | undefined;
    },
  ): Promise<SandboxRun | SandboxRunParked>;
  /** Ends idle interpreters of a domain. */
  forget(domain: string): void;
}

/** The two ways to a session. */
export interface Sessions {
  openSession(options?: SessionOptions & { id?: string }): Promise<SandboxSession>;
  resumeSession(id: string, options?: SessionOptions & { rebuild?: boolean }): Promise<SandboxSession>;
}
