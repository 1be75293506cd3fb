import { readSync, writeSync } from "node:fs";
import { createRequire } from "node:module";
import type { IPty } from "@lydell/node-pty";
import { attempt, codeOf } from "@toolglot/internal";
import { type BashExit, closeOthers, type Plumbing, type Transport, type TransportOptions } from "./transport.ts";
import type { ShellBackend } from "./types.ts";

/** Marks go to the terminal itself. Ctrl-C isn't shown as `^C`, and Ctrl-S doesn't stop the terminal for good. */
export const ptyPlumbing: Plumbing = {
  markTarget: "/dev/tty",
  inputSource: "/dev/tty",
  redirections: "",
  setup: `stty -echoctl -ixon 2>/dev/null; ${closeOthers("[012]", "255")}`,
  afterStart: "",
};

/** Under Bun the native module starts a shell now and then, and then loses what it prints. */
export const hasWorkingTerminals: boolean = process.versions.bun === undefined;

/** Checks whether a shell may get a terminal here, as far as that can be known before one is started. */
export function mayHaveTerminal(backend: ShellBackend | "auto" = "auto"): boolean {
  if (backend !== "auto" || !hasWorkingTerminals) return backend === "pty";
  return attempt(() => createRequire(import.meta.url).resolve("@lydell/node-pty")) !== undefined;
}

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
  return new PtyTransport(pty);
}

/** What node-pty reads the terminal with; no public part of it. */
type Socket = { unref(): void; destroy(error?: Error): unknown; emit(name: "data", bytes: Uint8Array): void };
/** More than a terminal holds, while a job in the background may keep printing. */
const maxAtOnce = 1 << 20;

class PtyTransport implements Transport {
  readonly backend = "pty";
  readonly pid: number;
  readonly #pty: IPty;
  readonly #socket: Socket;
  readonly #destroy: (error?: Error) => unknown;
  /** The terminal's descriptor, while it is open. */
  #fd: number | undefined;
  #open = true;
  /** What the terminal doesn't take yet. */
  #rest: Buffer = Buffer.alloc(0);
  #retry: NodeJS.Timeout | undefined;

  constructor(pty: IPty) {
    this.#pty = pty;
    this.pid = pty.pid;
    const { fd, _socket: socket } = pty as unknown as { fd: number; _socket: Socket };
    this.#fd = fd;
    this.#socket = socket;
    // What can be let go is; but node-pty's wait for the shell's exit can't, and holds the host until `close()` or `process.exit()`.
    socket.unref();
    const destroy = socket.destroy.bind(socket);
    this.#destroy = (error) => {
      this.#drop();
      this.#fd = undefined;
      return destroy(error);
    };
    // Node closes the terminal before it is read to its end: what is read first after the shell's exit counts as the last, and 200 ms
    // after the exit node-pty waits for no more, since a job may hold the terminal open for ever.
    socket.destroy = (error) => {
      if (!error) this.readNow();
      return this.#destroy(error);
    };
  }

  onData(listener: (bytes: Uint8Array) => void): void {
    this.#pty.onData((data) => listener(data as unknown as Uint8Array));
  }

  readNow(): void {
    for (let read = 0; this.#fd !== undefined && read < maxAtOnce; ) {
      const fd = this.#fd;
      const bytes = Buffer.alloc(65_536);
      // It fails where there is nothing to read, and under Deno always.
      const length = attempt(() => readSync(fd, bytes)) ?? 0;
      if (length === 0) return;
      read += length;
      this.#socket.emit("data", bytes.subarray(0, length));
    }
  }

  onExit(listener: (exit: BashExit) => void): void {
    this.#pty.onExit(({ exitCode, signal }) => {
      this.#open = false;
      listener({ code: exitCode, signal: signal || undefined });
    });
  }

  type(line: string): void {
    this.#write(line);
  }

  beginInput(): void {}

  input(data: string): boolean {
    this.#write(data);
    return true;
  }

  /** Ends the input; a terminal does it itself, by a key. */
  endInput(): boolean {
    return false;
  }

  /**
   * By ourselves: node-pty's own writing tries again without end, and without letting the host do anything else, while a program that
   * does not read leaves the terminal full.
   */
  #write(data: string): void {
    if (!this.#open) return;
    this.#rest = Buffer.concat([this.#rest, Buffer.from(data)]);
    if (this.#retry === undefined) this.#send(1);
  }

  takeBack(): boolean {
    const wasWaiting = this.#rest.length > 0;
    this.#drop();
    return wasWaiting;
  }

  #send(waitMs: number): void {
    this.#retry = undefined;
    try {
      while (this.#fd !== undefined && this.#rest.length > 0) {
        this.#rest = this.#rest.subarray(writeSync(this.#fd, this.#rest));
        waitMs = 1;
      }
    } catch (error) {
      if (codeOf(error) === "EAGAIN") this.#retry = setTimeout(() => this.#send(Math.min(20, waitMs * 2)), waitMs);
      else {
        // Under Deno the descriptor is not one of its own; else the terminal is gone, and this does nothing.
        this.#pty.write(this.#rest.toString());
        this.#drop();
      }
    }
  }

  #drop(): void {
    clearTimeout(this.#retry);
    this.#retry = undefined;
    this.#rest = Buffer.alloc(0);
  }

  resize(columns: number, rows: number): void {
    if (this.#open) this.#pty.resize(columns, rows);
  }

  dispose(): void {
    this.#open = false;
    this.#destroy();
  }
}
