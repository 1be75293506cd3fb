import { mkdirSync, rmSync, unlinkSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { attempt, quoteWord, sleep } from "@toolglot/internal";
import { secret } from "./command.ts";
import { terminalModes } from "./terminal-modes.ts";
import type { Plumbing, Transport } from "./transport.ts";

/** State of a drain, from a mark: it goes on, or it is done and something was dropped or not. */
export type Drain = "going on" | { dropped: boolean } | undefined;

/**
 * Keeps input that a command didn't read from whatever comes after it: with a terminal, the shell would take it for commands.
 *
 * Before a command is given its first input, a file is laid down. Where the shell finds it, at the end of each typed line and
 * before each prompt, it sources it: that prints a mark, and reads the input away up to a secret which the host types in
 * answer. What was typed before stands before that secret, however slow its way was. A command without input costs one `test`.
 */
export class InputGuard {
  /** What `$$` is in the shell. */
  shell: number;
  readonly #nonce: string;
  readonly #path: string;
  readonly #plumbing: Plumbing;
  readonly #transport: Transport;
  #key: string | undefined;
  #answer = "";
  #state: "none" | "laid" | "draining" = "none";
  /** How often the reader has said that nothing comes, since the answer was typed; undefined before that. */
  #waits: number | undefined;

  constructor(nonce: string, path: string, plumbing: Plumbing, transport: Transport) {
    this.#nonce = nonce;
    this.#path = path;
    this.#plumbing = plumbing;
    this.#transport = transport;
    this.shell = transport.pid;
  }

  /** Returns what the shell is to do where a prompt may follow. Only a file of this user's own is sourced. */
  static check(path: string): string {
    const word = quoteWord(path);
    return `\\builtin test -O ${word} && \\builtin . ${word} || \\builtin :`;
  }

  get laid(): boolean {
    return this.#state !== "none";
  }

  get draining(): boolean {
    return this.#state === "draining";
  }

  /** Lays the guard, before a command gets input. */
  lay(): void {
    if (this.laid) return;
    this.#key = secret();
    this.#answer = `${this.#nonce}${secret()}`;
    const text = this.#script(this.#key, this.#answer);
    const write = (): void => writeFileSync(this.#path, text, { mode: 0o600, flag: "wx" });
    this.#state = "laid";
    try {
      this.#remove();
      write();
    } catch {
      // A command may have removed the folder.
      attempt(() => mkdirSync(dirname(this.#path), { mode: 0o700 }));
      attempt(write);
    }
  }

  /** Takes a mark `D` of the shell; `tty`: its terminal. */
  mark(fields: readonly string[], tty: string): Drain {
    if (this.#key === undefined || fields[0] !== this.#key) return undefined;
    if (fields[1] === "1") {
      this.lift();
      return { dropped: fields[2] === "1" };
    }
    if (fields[1] === "2") {
      // The first may have been said before the answer was typed. The second was not: something else has read the answer.
      if (this.#waits !== undefined && ++this.#waits > 1) {
        this.#waits = undefined;
        const key = this.#key;
        // Not while marks are read: the next may say that the reader has ended.
        setImmediate(() => this.#key === key && this.#answerNow());
      }
    } else if (this.#state === "laid") {
      this.#state = "draining";
      this.#waits = undefined;
      this.#remove();
      void this.#reply(this.#key, tty);
    }
    return "going on";
  }

  lift(): void {
    if (this.#state === "none") return;
    this.#remove();
    this.#state = "none";
    this.#key = undefined;
  }

  /** Removes the folder, if it had to be made anew. */
  dispose(): void {
    this.lift();
    rmSync(dirname(this.#path), { recursive: true, force: true });
  }

  /** A terminal that works by lines takes only so much, and may hold half a line: the reader must have changed that first. */
  async #reply(key: string, tty: string): Promise<void> {
    for (let round = 0; round < 40; round++) {
      const modes = await terminalModes(tty);
      if (!modes?.lines) break;
      await sleep(2);
    }
    if (this.#key === key) this.#answerNow();
  }

  #answerNow(): void {
    const key = this.#key;
    // What was said until now was said without the answer; it may even be that the reader has ended.
    this.#transport.readNow();
    if (this.#key !== key) return;
    this.#waits = 0;
    this.#transport.input(` #${this.#answer}--#`);
  }

  #remove(): void {
    attempt(() => unlinkSync(this.#path));
  }

  /**
   * Builtins only, in a subshell, so that no variable of the user's is touched or in the way. Reading up to another character than
   * the line end makes `read` take each character at once, half lines too. It says every two seconds that nothing came, since another
   * program may have taken the answer; a host that is only slow has a minute.
   */
  #script(key: string, answer: string): string {
    const name = (which: string): string => `_${this.#nonce}${which}`;
    const [last, piece, dropped, waits] = [name("l"), name("p"), name("d"), name("w")];
    const mark = (rest: string): string => `\\builtin printf '\\033]633;D;%s;%s;${rest}\\a' ${this.#nonce} ${key}`;
    return `case $$ in ${this.shell}) (
\\builtin declare IFS=
${last}= ${piece}= ${dropped}=0 ${waits}=
${mark("0")}
while \\builtin :; do
if \\builtin read -r -s -t 2 -n 4096 -d '#' ${piece}; then
case $${last}$${piece} in *${answer}*) \\builtin break;; esac
case $${last}$${piece} in ''|' ') ;; *) ${dropped}=1;; esac
${last}=
else
case $?$${waits} in ?|??|*${".".repeat(30)}) \\builtin break;; esac
${mark("2")}
${waits}=$${waits}.
fi
${last}=$${last}$${piece} ${piece}=
done
case $${last}$${piece} in ''|' '|*${answer}*) ;; *) ${dropped}=1;; esac
${mark("1;%s")} "$${dropped}"
) <${this.#plumbing.inputSource} >${this.#plumbing.markTarget} 2>/dev/null;; esac
\\builtin :
`;
  }
}
