import { type ChildProcess, spawn } from "node:child_process";
import { constants } from "node:os";
import type { Readable, Writable } from "node:stream";
import { InputPipe } from "./input-pipe.ts";
import { type BashExit, closeOthers, type Plumbing, type Transport, type TransportOptions } from "./transport.ts";

/** The shell's own descriptors, out of the way of a script's `exec 3>file`: marks and input. */
export const marksFd = 252;
export const inputFd = 253;

/** Marks go to a descriptor of their own. */
export const pipePlumbing: Plumbing = {
  markTarget: `&${marksFd}`,
  inputSource: `&${inputFd}`,
  redirections: ` <&${inputFd} ${marksFd}>&- ${inputFd}<&-`,
  setup: `exec ${inputFd}<&3 3<&- ${marksFd}>&1 2>&1; ${closeOthers("[012]", String(marksFd), String(inputFd), "255")}`,
  // Jobs in groups of their own. Only once it reads its input: what the rc file sets of this is undone after it.
  afterStart: "set -m",
};

/**
 * Starts bash over pipes: what the host types is its standard input, an {@link InputPipe} is what scripts read. Both are
 * moved out of the scripts' sight while one runs. Output and errors share one pipe, so that their order stays.
 */
export async function pipeTransport(options: TransportOptions): Promise<Transport> {
  const input = await InputPipe.make();
  const child = spawn(options.bash, [...options.args], {
    cwd: options.cwd,
    env: options.env,
    stdio: ["pipe", "pipe", "pipe", input?.reader ?? "pipe"],
    // A session of its own, so that its groups differ from the host's.
    detached: true,
    windowsHide: true,
  });
  await new Promise<void>((resolve, reject) => {
    child.once("spawn", resolve);
    child.once("error", reject);
  }).catch((error: unknown) => {
    input?.dispose();
    throw error;
  });
  return new PipeTransport(child, input);
}

class PipeTransport implements Transport {
  readonly backend = "pipe";
  readonly pid: number;
  readonly #commands: Writable;
  readonly #input: InputPipe | undefined;
  /** Where there are no FIFOs. */
  readonly #plainInput: Writable | undefined;
  readonly #outputs: Readable[];
  #exited: ((exit: BashExit) => void) | undefined;
  #exit: BashExit | undefined;

  constructor(child: ChildProcess, input: InputPipe | undefined) {
    this.pid = child.pid ?? 0;
    this.#commands = child.stdin as Writable;
    this.#outputs = [child.stdout as Readable, child.stderr as Readable];
    this.#input = input;
    this.#plainInput = input === undefined ? (child.stdio[3] as Writable) : undefined;
    for (const stream of this.#streams()) {
      // The exit reports a shell that went away, not a broken pipe.
      stream.on("error", () => undefined);
      (stream as unknown as { unref?: () => void }).unref?.();
    }
    child.unref();
    child.once("exit", (code, signal) => {
      const number = signal === null ? undefined : constants.signals[signal];
      const exit = { code: code ?? 0, signal: number };
      // A background job may hold the pipe open for ever: what is in it by then is all there is.
      const done = (): void => this.#finish(exit);
      const timer = setTimeout(done, 200);
      child.once("close", () => {
        clearTimeout(timer);
        done();
      });
    });
  }

  #finish(exit: BashExit): void {
    if (this.#exit) return;
    this.#exit = exit;
    this.#exited?.(exit);
  }

  onData(listener: (bytes: Uint8Array) => void): void {
    for (const stream of this.#outputs) stream.on("data", listener);
  }

  onExit(listener: (exit: BashExit) => void): void {
    this.#exited = listener;
    if (this.#exit) listener(this.#exit);
  }

  type(line: string): void {
    if (this.#commands.writable) this.#commands.write(line);
  }

  beginInput(): void {
    this.#input?.begin();
  }

  input(data: string): boolean {
    if (this.#plainInput?.writable) this.#plainInput.write(data);
    return this.#input?.write(data) ?? true;
  }

  endInput(): boolean {
    this.#input?.end();
    return this.#input !== undefined;
  }

  readNow(): void {}

  takeBack(): boolean {
    return false;
  }

  resize(): void {}

  dispose(): void {
    for (const stream of this.#streams()) stream.destroy();
    this.#input?.dispose();
  }

  #streams(): (Readable | Writable)[] {
    return [this.#commands, ...(this.#plainInput ? [this.#plainInput] : []), ...this.#outputs];
  }
}
