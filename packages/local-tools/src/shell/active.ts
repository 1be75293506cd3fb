import type { FilledScript } from "@toolglot/secrets/executing";

/** A command of a session and what became of it. */
export interface Active {
  /** As it was written, placeholders included. */
  script: string;
  /** With values; absent when it has none. */
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
