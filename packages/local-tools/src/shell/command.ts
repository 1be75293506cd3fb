import { randomBytes } from "node:crypto";
import type { FilledScript } from "@toolglot/secrets/executing";

/** 96 random bits that nobody guesses. */
export function secret(): string {
  return randomBytes(12).toString("hex");
}

/** A script on its way to the shell, in it, or back. */
export interface Command {
  script: string;
  /** The same with values: then this is what the shell gets. */
  filled: FilledScript | undefined;
  /** What `$?` is when it starts. */
  status: number;
  begin: string;
  /** Secrets of the lines that were typed for it; any of them ends it. */
  ends: Set<string>;
  /**
   * `untyped`: its line is still to be typed, or to be typed once more. `typed`: the line is out. `started`: the shell runs it.
   * `delivered`: it has the script. `ending`: it is over, and input that it left is read away.
   */
  phase: "untyped" | "typed" | "started" | "delivered" | "ending";
  /** When the line, or the last question, was typed. */
  typedAt: number;
  /** How often it had to be typed. */
  tries: number;
  /** Questions for its end, as typed: their echo is none of its output. */
  questions: string[];
  /** What came since the first of them, or before it had the script: the shell's own complaint when that can't be had. */
  tentative: string;
  /** Its exit status, once it is `ending`. */
  exit: number;
  /** Somebody asked for its end: its exit status is not 0, even where the shell's own can't be had any more. */
  interrupted: boolean;
  /** True when input was dropped that it left. */
  dropped: boolean;
}

/** Creates the command of a script that is still to be typed; `status` is what `$?` is when it starts. */
export function newCommand(script: string, status: number, filled?: FilledScript): Command {
  return {
    script,
    filled,
    status,
    begin: secret(),
    ends: new Set(),
    phase: "untyped",
    typedAt: 0,
    tries: 0,
    questions: [],
    tentative: "",
    exit: 0,
    interrupted: false,
    dropped: false,
  };
}

/** Variables that hold values for a command, and for nothing after it. */
export function variablesOf({ filled }: Command): readonly string[] {
  return [...(filled?.variables.keys() ?? [])];
}

/** A command of a session and what became of it. */
export interface Active {
  /** As it was written, placeholders included. */
  script: string;
  filled: FilledScript | undefined;
  /** The session's own (a change of directory): prints nothing that counts. */
  internal: boolean;
  notes: string[];
  end?: { exit: number; shellEnded: boolean };
  hardLimit?: NodeJS.Timeout;
  stopping?: Promise<void>;
  stopSent: boolean;
  restarts: number;
}

/** What came of waiting for a command. */
export type Outcome = { is: "ended" | "timeout" | "aborted" } | { is: "waiting"; waiting: "input" | "password" };
