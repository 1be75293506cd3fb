import { closeSync, openSync } from "node:fs";
import { ReadStream, WriteStream } from "node:tty";
import { onAbort } from "@toolglot/internal";
import { type Key, KeyReader } from "./keys.ts";

/** A terminal to read keys from, as far as it is used: `process.stdin` is one. */
export interface TerminalInput {
  readonly isTTY?: boolean;
  readonly isRaw?: boolean;
  setRawMode?(raw: boolean): unknown;
  on(event: "data", listener: (chunk: Uint8Array | string) => void): unknown;
  on(event: "end" | "error", listener: () => void): unknown;
  off(event: "data" | "end" | "error", listener: (chunk: Uint8Array | string) => void): unknown;
  resume(): unknown;
  pause(): unknown;
}

/** What is written to it is shown. */
export interface TerminalOutput {
  write(text: string): unknown;
}

/** A terminal in raw mode: nothing is shown but what is written to it. Its modes are restored by `close`, and when the process exits. */
export class RawTerminal {
  readonly #input: TerminalInput;
  readonly #output: TerminalOutput;
  readonly #free: () => void;
  readonly #keys: (Key | undefined)[] = [];
  #waiting: (() => void) | undefined;
  readonly #reader = new KeyReader((key) => this.#push(key));
  readonly #wasRaw: boolean;
  readonly #stopListening: () => void;
  #closed = false;

  /** `signal`: its abort reads as the end of all input. `free`: what is to be done when the terminal is no longer used. */
  constructor(input: TerminalInput, output: TerminalOutput, signal: AbortSignal, free: () => void = () => {}) {
    this.#input = input;
    this.#output = output;
    this.#free = free;
    this.#wasRaw = input.isRaw === true;
    process.once("exit", this.#restore);
    input.on("data", this.#feed);
    input.on("end", this.#end);
    input.on("error", this.#end);
    input.setRawMode?.(true);
    input.resume();
    this.#stopListening = onAbort(signal, this.#end);
  }

  write(text: string): void {
    this.#output.write(text);
  }

  /** Resolves with the next key; undefined when there won't be any. */
  async next(): Promise<Key | undefined> {
    while (this.#keys.length === 0) {
      if (this.#closed) return undefined;
      await new Promise<void>((resolve) => {
        this.#waiting = resolve;
      });
    }
    return this.#keys.shift();
  }

  /** Drops what was typed ahead, as the further lines of what was pasted. */
  drop(): void {
    if (!this.#keys.includes(undefined)) this.#keys.length = 0;
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    process.off("exit", this.#restore);
    this.#stopListening();
    this.#reader.close();
    this.#input.off("data", this.#feed);
    this.#input.off("end", this.#end);
    this.#input.off("error", this.#end);
    this.#restore();
    this.#input.pause();
    this.#free();
  }

  readonly #feed = (chunk: Uint8Array | string): void => this.#reader.feed(chunk);
  readonly #end = (): void => this.#push(undefined);
  readonly #restore = (): void => {
    this.#input.setRawMode?.(this.#wasRaw);
  };

  #push(key: Key | undefined): void {
    this.#keys.push(key);
    this.#waiting?.();
  }
}

/** Opens the terminal that the process belongs to, whatever its standard input and output are. Undefined when there is none. */
export function openTerminal(signal: AbortSignal): RawTerminal | undefined {
  const opened: number[] = [];
  try {
    opened.push(openSync("/dev/tty", "r"));
    opened.push(openSync("/dev/tty", "w"));
    const [from, to] = opened as [number, number];
    const input = new ReadStream(from);
    const output = new WriteStream(to);
    output.on("error", () => {});
    return new RawTerminal(input, output, signal, () => {
      input.destroy();
      output.end(() => output.destroy());
    });
  } catch {
    for (const descriptor of opened) closeSync(descriptor);
    return undefined;
  }
}
