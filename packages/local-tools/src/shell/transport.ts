import type { ShellBackend } from "./types.ts";

/** How a bash ended: its status, or the signal that ended it. */
export interface BashExit {
  code: number;
  signal: number | undefined;
}

export interface TransportOptions {
  bash: string;
  args: readonly string[];
  cwd: string;
  env: Record<string, string>;
  columns: number;
  rows: number;
}

/** What of the lines that the shell is given depends on the way to it. */
export interface Plumbing {
  /** Where a mark is written from inside the shell so that no redirection of a script loses it: what stands after `>`. */
  readonly markTarget: string;
  /** Where a script reads what it is given: what stands after `<`. */
  readonly inputSource: string;
  /** Redirections of the sourced script: its input, and what is the session's own out of its sight. */
  readonly redirections: string;
  /** Lines of the rc file. */
  readonly setup: string;
  /** What is typed once the shell is up; may be empty. */
  readonly afterStart: string;
}

/** A running bash and the ways to it. Terminal or pipes: what is above doesn't care. */
export interface Transport {
  readonly backend: ShellBackend;
  readonly pid: number;
  onData(listener: (bytes: Uint8Array) => void): void;
  /**
   * Emits what was printed by now, where the host's event loop may not know of it yet: the kernel's own threads bring it through a
   * terminal, and on a busy machine they come late. Reading does their work.
   */
  readNow(): void;
  /** Called once, after the last data. */
  onExit(listener: (exit: BashExit) => void): void;
  /** Writes a line to the shell itself, newline included. */
  type(line: string): void;
  /** A command begins: its input is not the ended one of the command before. */
  beginInput(): void;
  /** Writes input for what runs in the foreground. False when its input was ended. */
  input(data: string): boolean;
  /** Ends the input of the command that runs. False where that can't be done from here. */
  endInput(): boolean;
  /** Takes back input that a full terminal doesn't take yet. Whether there was any: then it doesn't see keys either. */
  takeBack(): boolean;
  resize(columns: number, rows: number): void;
  /** Closes all handles. The shell is somebody else's to end. */
  dispose(): void;
}

/**
 * Shell code that closes all descriptors but some (patterns of `case`), where the system lists them: the host's other terminals, which
 * node-pty lets every child inherit. Nothing here may be redirected: what is saved for that would be closed.
 */
export function closeOthers(...kept: string[]): string {
  return `for REPLY in /proc/$$/fd/*; do case \${REPLY##*/} in ${kept.join("|")}|'*') ;; *) eval "exec \${REPLY##*/}>&-" ;; esac; done; unset REPLY`;
}
