import { sleep } from "@toolglot/internal";
import { type FilledScript, valueLines } from "@toolglot/secrets/executing";
import type { Bash } from "./bash.ts";
import { type Command, newCommand, secret, variablesOf } from "./command.ts";
import type { Drain, InputGuard } from "./input-guard.ts";
import { signal } from "./processes.ts";
import { lineMs, Recovery } from "./recovery.ts";
import { type TypedLines, unquoteWord } from "./typed-lines.ts";

/** UTF-16 units that are held until a command's end is certain. */
const tentativeSize = 1 << 20;

/**
 * The commands of one bash, one at a time: each is begun by a typed line and ended by the mark that this line prints. Where the
 * line was cut short (Ctrl-C, a failed expansion), its end mark is asked for once more as soon as the shell is at its prompt.
 * What is guaranteed:
 *
 * - A command's end and exit status come from a mark with a secret that is made for this command and is nowhere to be read while its
 *   script runs; printing whatever can be read (variables, functions, traps, the environment, /proc, files, this source) ends nothing.
 * - Text between the end of one command and the start mark of the next belongs to neither.
 * - A script whose start was not confirmed has not run, so that it can be run in another shell.
 * - Not guaranteed: that a script which takes the shell's place on purpose (reads the terminal in its stead, a debugger on
 *   it, a process of the same user that opens the FIFO) is found out. A script that runs in the shell is the shell.
 */
export class BashCommands {
  current: Command | undefined;
  readonly #shell: Bash;
  readonly #lines: TypedLines;
  readonly #guard: InputGuard;
  readonly #recovery: Recovery;
  #options = "";
  /** Prompts that have still to come for what was typed before the command's line. */
  #promptsDue = 1;
  /** The next script needs a place of its own. */
  #renew = false;
  #drainText = "";

  constructor(shell: Bash, lines: TypedLines, guard: InputGuard) {
    this.#shell = shell;
    this.#lines = lines;
    this.#guard = guard;
    this.#recovery = new Recovery(shell, this, lines);
  }

  /** Runs a script, with its values if it is filled; the listener hears the rest. One at a time. */
  execute(script: string, status = 0, filled?: FilledScript): void {
    if (this.current) throw new Error("a command is running");
    const shell = this.#shell;
    const command = newCommand(script, status, filled);
    this.current = command;
    if (!this.#renew) {
      this.type(command);
      return;
    }
    this.#renew = false;
    // What was interrupted may still hold the place of scripts open: the next one would never end there.
    void shell
      .newChannel(!shell.channel.fifo)
      .catch(() => {})
      .then(() => {
        if (this.current === command && !shell.exited) this.type(command);
      });
  }

  interrupted(): void {
    if (this.current) this.current.interrupted = true;
  }

  /** `set -e` was on when the last command ended. */
  get endsOnErrors(): boolean {
    return this.#options.includes("e");
  }

  /** Finds a shell that is back at its prompt while a command is silent, although no mark said so, and asks it. True when it is there. */
  checkPrompt(): boolean {
    return this.#recovery.checkPrompt();
  }

  /** True while what the foreground does is the command's doing. */
  get inCommand(): boolean {
    const phase = this.current?.phase;
    return (phase === "started" || phase === "delivered") && !this.#guard.draining && !this.#atPrompt();
  }

  /** True when the command is over but for the input that it left. */
  get ending(): boolean {
    return this.current?.phase === "ending";
  }

  /** Every line that was typed has been answered by its prompt. */
  get allPrompted(): boolean {
    return this.#promptsDue === 0;
  }

  /** Returns true for a line that is plumbing: echoed, traced or printed by `set -v`. */
  isOurs(line: string): boolean {
    return this.#lines.isOurs(line);
  }

  /** Writes input for the script. False when it is over, or not begun after `waitMs`. What it leaves unread is dropped at its end. */
  async feed(data: string, waitMs: number): Promise<boolean> {
    const command = this.current;
    if (!command) return false;
    const begun = (): boolean => command.phase === "delivered" || command.phase === "ending";
    const until = performance.now() + waitMs;
    while (this.current === command && !begun() && performance.now() < until) await sleep(5);
    await this.#shell.settled();
    if (this.current === command && !this.#guard.laid && data !== "") {
      this.#guard.lay();
      // A shell that has looked for the guard before it was there has said its end before that, too: it is on its way. On
      // a busy machine the terminal may hold it back for long, but then the shell stands at its prompt.
      await sleep(25);
      await this.#shell.settled();
      if (this.#atPrompt()) return false;
    }
    if (this.current !== command || command.phase !== "delivered" || this.#guard.draining) return false;
    return this.#shell.transport.input(data);
  }

  /** Types a line that ends in a prompt of its own. */
  typeAside(line: string): void {
    this.#promptsDue++;
    this.#shell.transport.type(line);
  }

  type(command: Command): void {
    const { channel, transport } = this.#shell;
    const end = secret();
    command.begin = secret();
    command.ends = new Set([end]);
    command.phase = "typed";
    command.typedAt = performance.now();
    command.tries++;
    const traced = this.#options.includes("x");
    channel.prepare(this.#text(command));
    transport.beginInput();
    const { begin, status } = command;
    transport.type(this.#lines.command({ begin, status, ...channel, end, traced, forget: variablesOf(command) }));
  }

  /** Takes text that the shell, or what runs in it, has printed. */
  printed(text: string): void {
    const command = this.current;
    if (this.#guard.draining) {
      // Mostly the echo of what is read away.
      if (this.#drainText.length < 65_536) this.#drainText += text;
    } else if (!command || command.phase === "untyped" || command.phase === "typed" || command.phase === "ending") {
      this.#shell.listener.output(text, "nobody");
    } else if (command.phase === "delivered" && command.questions.length === 0) {
      this.#shell.listener.output(text, "command");
    } else {
      command.tentative += text;
      if (command.tentative.length > tentativeSize) this.#release(command);
    }
  }

  /** Takes a mark that the shell has printed: see {@link TypedLines}. */
  mark(kind: string, fields: string[]): void {
    const command = this.current;
    const known = fields[0] ?? "";
    if (kind === "P") {
      this.#prompted();
    } else if (kind === "D") {
      this.#drained(this.#guard.mark(fields, this.#shell.tty));
    } else if (kind === "R") {
      this.#shell.isUp(Number(known), Number(fields[1]) || 0, fields[2]?.startsWith("/") ? fields[2] : "");
    } else if (kind === "A" && command?.begin === known && command.phase === "typed") {
      command.phase = "started";
      this.#promptsDue = 0;
      this.#deliver(command);
    } else if (kind === "E" && command?.ends.has(known)) {
      this.#promptsDue++;
      this.#options = fields[2] ?? "";
      this.#readDirectory(fields.slice(3).join(";"));
      if (command.phase === "delivered") this.#end(command, Number(fields[1]) & 255);
      else this.#recovery.again(command);
    }
  }

  /** Ends the command once all output is read: the shell was seen at its prompt although no mark came. */
  async confirmEnd(command: Command): Promise<void> {
    await sleep(lineMs / 5);
    await this.#shell.settled();
    if (this.#atPrompt()) this.#finish(command);
  }

  /** Ends what runs, since the shell is gone. True when a command had been written and didn't start. */
  shellDied(): boolean {
    const command = this.current;
    if (command) this.#release(command);
    this.#over();
    return command !== undefined && command.phase !== "delivered";
  }

  dispose(): void {
    this.#guard.dispose();
  }

  /** Returns true when the shell is known to wait for what is typed. */
  #atPrompt(): boolean {
    return this.#shell.prompt.here() === "there";
  }

  #text(command: Command): string {
    const { script, filled } = command;
    if (filled !== undefined) return `${valueLines(filled, this.#options)}${filled.text}\n`;
    const traced = this.#options.includes("x") ? "{ \\builtin set -x; } 2>/dev/null\n" : "";
    return `${traced}${script}\n`;
  }

  /** Emits what was held, without the questions' echo: what the command printed may have been on its way still. */
  #release(command: Command): void {
    let text = command.tentative;
    command.tentative = "";
    for (const question of command.questions) {
      text = text.replaceAll(`${question}\r\n`, "").replaceAll(`${question}\n`, "").replaceAll(question, "");
    }
    if (text !== "") this.#shell.listener.output(text, "command");
  }

  /** Delivers the script, not by a promise: the command's end may be read before that is heard of, and it would count as one that has not run. */
  #deliver(command: Command): void {
    const { begin } = command;
    const isWaiting = (): boolean => this.current === command && command.phase === "started";
    this.#shell.channel.deliver(this.#text(command), (delivered) => {
      if (!isWaiting()) return;
      if (delivered) {
        command.phase = "delivered";
        this.#release(command);
        return;
      }
      // Its FIFO is gone, which it notices. If that happened while it stood before it, Ctrl-C releases it.
      void sleep(lineMs).then(() => {
        if (isWaiting() && command.begin === begin) signal(this.#shell.pid, "SIGINT");
      });
    });
  }

  /** Ends the command; what it left of its input is read away first. */
  #end(command: Command, status: number): void {
    this.#release(command);
    // What put the shell right before the second question has set `$?`, too.
    command.exit = status === 0 && command.interrupted && command.questions.length > 1 ? 130 : status;
    this.#renew ||= command.interrupted;
    if (!this.#guard.laid) {
      this.#finish(command);
      return;
    }
    command.phase = "ending";
    // Where the shell is seen at its prompt, it needs no limit.
    if (!this.#shell.prompt.known) setTimeout(() => this.#finish(command), 90_000).unref();
  }

  #drained(drain: Drain): void {
    const command = this.current;
    if (drain === undefined || drain === "going on") return;
    const text = this.#drainText;
    this.#drainText = "";
    if (!drain.dropped && text !== "") this.#shell.listener.output(text, "nobody");
    if (!command) return;
    command.dropped ||= drain.dropped;
    if (command.phase === "ending") this.#finish(command);
  }

  #finish(command: Command): void {
    if (this.current !== command) return;
    // The answer was typed and nobody has read it: a comment, which a line end completes.
    if (this.#guard.draining) this.typeAside("\n");
    this.#over();
    this.#shell.listener.ended(command.exit, command.dropped);
  }

  #over(): void {
    this.current = undefined;
    this.#guard.lift();
    this.#drainText = "";
    this.#shell.channel.settle();
  }

  #readDirectory(word: string): void {
    const shell = this.#shell;
    const named = unquoteWord(word);
    // A very long directory was cut for the mark's sake, and a script may have put anything in PWD.
    shell.cwd = (named.startsWith("/") && named.length < 900 ? named : shell.processes.cwd(shell.pid)) ?? shell.cwd;
  }

  /** Takes a prompt; without one due, the shell seems to be at its prompt. */
  #prompted(): void {
    const command = this.current;
    if (command?.phase === "ending") void this.confirmEnd(command);
    if (this.#promptsDue > 0) this.#promptsDue--;
    else if (command && command.phase !== "untyped") void this.#recovery.checkRepeatedly(command);
  }
}
