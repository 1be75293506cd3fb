import type { Processes, PromptPlace } from "./processes.ts";
import type { ScriptChannel } from "./script-channel.ts";
import type { BashExit, Transport } from "./transport.ts";

export interface BashListener {
  /** Printed text; `command`: while the script ran. */
  output(text: string, of: "command" | "nobody"): void;
  /** The command is over. `dropped`: input that it didn't read was dropped. */
  ended(exit: number, dropped: boolean): void;
  /** The shell is gone. `unrun`: a command had been given and didn't start. `because`: why it was killed; undefined when it ended by itself. */
  died(exit: BashExit, why: { because: string | undefined; unrun: boolean }): void;
}

/** One bash, as what runs commands in it sees it. */
export interface Bash {
  readonly transport: Transport;
  readonly processes: Processes;
  readonly prompt: PromptPlace;
  readonly listener: BashListener;
  readonly channel: ScriptChannel;
  readonly pid: number;
  readonly exited: boolean;
  /** The terminal's device; empty without one. */
  readonly tty: string;
  cwd: string;
  /** Resolves when the host has read what has come from the shell already, as after it was busy. */
  settled(): Promise<void>;
  /** Takes the mark of the rc file: the shell's own number, bash's major version, and its terminal. */
  isUp(inside: number, major: number, tty: string): void;
  newChannel(plainFile: boolean): Promise<void>;
  /** Kills a shell that doesn't answer. */
  abandon(): void;
}
