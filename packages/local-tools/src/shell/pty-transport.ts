import type { IPty } from "@lydell/node-pty";
import { type BashExit, closeOthers, type Plumbing, type Transport, type TransportOptions } from "./transport.ts";

/** Marks go to the terminal itself. Ctrl-C isn't shown as `^C`, and Ctrl-S doesn't stop the terminal for good. */
export const ptyPlumbing: Plumbing = {
  markTarget: "/dev/tty",
  inputSource: "/dev/tty",
  redirections: "",
  setup: `stty -echoctl -ixon 2>/dev/null; ${closeOthers("[012]", "255")}`,
  afterStart: "",
};

/** Starts bash with a terminal of its own. Rejects when the optional peer `@lydell/node-pty` isn't there or can't start it. */
export async function ptyTransport(options: TransportOptions): Promise<Transport> {
  const module = await import("@lydell/node-pty");
  const pty = module.spawn(options.bash, [...options.args], {
    name: options.env.TERM ?? "dumb",
    cols: options.columns,
    rows: options.rows,
    cwd: options.cwd,
    env: options.env,
    // Bytes: a character may be cut between two reads, and decoding is ours.
    encoding: null,
  });
  // What can be let go is; but node-pty's wait for the shell's exit can't, and holds the host until `close()` or `process.exit()`.
  (pty as unknown as { _socket?: { unref?: () => void } })._socket?.unref?.();
  return new PtyTransport(pty);
}

class PtyTransport implements Transport {
  readonly backend = "pty";
  readonly pid: number;
  readonly #pty: IPty;
  #open = true;

  constructor(pty: IPty) {
    this.#pty = pty;
    this.pid = pty.pid;
  }

  onData(listener: (bytes: Uint8Array) => void): void {
    this.#pty.onData((data) => listener(data as unknown as Uint8Array));
  }

  onExit(listener: (exit: BashExit) => void): void {
    this.#pty.onExit(({ exitCode, signal }) => {
      this.#open = false;
      listener({ code: exitCode, signal: signal || undefined });
    });
  }

  type(line: string): void {
    if (this.#open) this.#pty.write(line);
  }

  input(data: string): void {
    if (this.#open) this.#pty.write(data);
  }

  resize(columns: number, rows: number): void {
    if (this.#open) this.#pty.resize(columns, rows);
  }

  dispose(): void {
    const socket = (this.#pty as unknown as { _socket?: { destroy?: () => void } })._socket;
    this.#open = false;
    socket?.destroy?.();
  }
}
