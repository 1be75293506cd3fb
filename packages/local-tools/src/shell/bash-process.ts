import { randomBytes } from "node:crypto";
import { Utf8Decoder } from "../output/decode.ts";
import { MarkScanner, type Piece } from "../output/mark-scanner.ts";
import { type Command, newCommand, secret } from "./command.ts";
import { type Drain, InputGuard } from "./input-guard.ts";
import { pause } from "./pause.ts";
import { pipePlumbing, pipeTransport } from "./pipe-transport.ts";
import type { Processes } from "./processes.ts";
import { PromptPlace } from "./prompt-place.ts";
import { ptyPlumbing, ptyTransport } from "./pty-transport.ts";
import { lineMs, Recovery } from "./recovery.ts";
import { ScriptChannel } from "./script-channel.ts";
import { unquoteWord } from "./shell-text.ts";
import { signal } from "./signal.ts";
import type { BashExit, Transport } from "./transport.ts";
import { quietTurns } from "./turns.ts";
import { TypedLines } from "./typed-lines.ts";
import type { ShellBackend } from "./types.ts";

/** What a bash tells its session. */
export interface BashListener {
  /** Printed text; `command`: while the script ran. */
  output(text: string, of: "command" | "nobody"): void;
  /** The command is over. `dropped`: input that it didn't read was dropped. */
  ended(exit: number, dropped: boolean): void;
  /** The shell is gone. `abandoned`: it no longer answered and was killed for it. `unrun`: a command had been given and didn't start. */
  died(exit: BashExit, why: { abandoned: boolean; unrun: boolean }): void;
}

/** What a bash is started with. */
export interface BashOptions {
  backend: ShellBackend;
  bash: string;
  cwd: string;
  env: Record<string, string>;
  columns: number;
  rows: number;
  processes: Processes;
  /** How long it may take to come up. */
  startMs: number;
}

/** UTF-16 units that are held until a command's end is certain. */
const tentativeSize = 1 << 20;

/**
 * One bash and the conversation with it: one command at a time, begun by a typed line, ended by the mark that this
 * line prints. Where the line was cut short (Ctrl-C, a failed expansion), its end mark is asked for once more as soon as the shell
 * is at its prompt. What is guaranteed:
 *
 * - A command's end and exit status come from a mark with a secret that is made for this command and is nowhere to be read while its
 *   script runs; printing whatever can be read (variables, functions, traps, the environment, /proc, files, this source) ends nothing.
 * - Text between the end of one command and the start mark of the next belongs to neither.
 * - A script whose start was not confirmed has not run, so that it can be run in another shell.
 * - Not guaranteed: that a script which takes the shell's place on purpose (reads the terminal in its stead, a debugger on
 *   it, a process of the same user that opens the FIFO) is found out. A script that runs in the shell is the shell.
 */
export class BashProcess {
  readonly transport: Transport;
  readonly processes: Processes;
  /** The terminal's device; empty without one. */
  tty = "";
  cwd: string;
  #listener: BashListener;
  readonly #lines: TypedLines;
  readonly #guard: InputGuard;
  #channel: ScriptChannel;
  readonly #scanner: MarkScanner;
  readonly #decoder: Utf8Decoder = new Utf8Decoder();
  #command: Command | undefined;
  #ready: ((major: number) => void) | undefined;
  #options = "";
  /** Prompts that have still to come for what was typed before the command's line. */
  #promptsDue = 1;
  /** The next script needs a place of its own. */
  #renew = false;
  readonly #prompt: PromptPlace;
  readonly #recovery: Recovery;
  #abandoned = false;
  #exit: BashExit | undefined;
  #startText = "";
  #received = 0;
  #drainText = "";

  private constructor(
    transport: Transport,
    channel: ScriptChannel,
    lines: TypedLines,
    guard: InputGuard,
    nonce: string,
    options: BashOptions,
  ) {
    this.transport = transport;
    this.processes = options.processes;
    this.#prompt = new PromptPlace(options.processes, transport.pid);
    this.#recovery = new Recovery(this, lines, this.#prompt);
    this.cwd = options.cwd;
    this.#channel = channel;
    this.#lines = lines;
    this.#guard = guard;
    this.#scanner = new MarkScanner(nonce);
    this.#listener = { output: (text) => this.#keepStart(text), ended: () => undefined, died: () => undefined };
    transport.onData((bytes) => {
      this.#received += bytes.length;
      this.#read(this.#decoder.push(bytes));
    });
    transport.onExit((exit) => this.#died(exit));
  }

  /** Starts a bash; rejects with what it said when it doesn't come up. */
  static async start(options: BashOptions): Promise<BashProcess> {
    const nonce = randomBytes(8).toString("hex");
    const channel = await ScriptChannel.create(false);
    let started: BashProcess | undefined;
    try {
      const open = options.backend === "pty" ? ptyTransport : pipeTransport;
      const plumbing = options.backend === "pty" ? ptyPlumbing : pipePlumbing;
      const guardPath = channel.place(`input-${nonce}`);
      const lines = new TypedLines(nonce, plumbing, guardPath);
      const rcPath = channel.writeFile("rc", lines.rcFile());
      const args = ["--noprofile", "--rcfile", rcPath, "--noediting", "-i"];
      const transport = await open({ ...options, args });
      const guard = new InputGuard(nonce, guardPath, plumbing, transport);
      started = new BashProcess(transport, channel, lines, guard, nonce, options);
      await started.#come(options.startMs, rcPath);
      return started;
    } catch (error) {
      if (started) await started.kill();
      channel.remove();
      throw error;
    }
  }

  get exited(): boolean {
    return this.#exit !== undefined;
  }

  get busy(): boolean {
    return this.#command !== undefined;
  }

  get pid(): number {
    return this.transport.pid;
  }

  /** Where scripts lie, to be removed when the host goes. */
  get channel(): ScriptChannel {
    return this.#channel;
  }

  listen(listener: BashListener): void {
    this.#listener = listener;
  }

  /** Runs a script; the listener hears the rest. One at a time. */
  execute(script: string, status = 0): void {
    if (this.#command) throw new Error("a command is running");
    const command = newCommand(script, status);
    this.#command = command;
    if (!this.#renew) {
      this.type(command);
      return;
    }
    this.#renew = false;
    // What was interrupted may still hold the place of scripts open: the next one would never end there.
    void this.newChannel(!this.#channel.fifo)
      .catch(() => {})
      .then(() => {
        if (this.#command === command && !this.#exit) this.type(command);
      });
  }

  /** Somebody ends what runs. */
  interrupted(): void {
    if (this.#command) this.#command.interrupted = true;
  }

  /** `set -e` was on when the last command ended. */
  get endsOnErrors(): boolean {
    return this.#options.includes("e");
  }

  /**
   * To be called now and then while a command runs and is silent: finds a shell that is back at its prompt although no
   * mark said so, and asks it. True when it is there.
   */
  look(): boolean {
    return this.#recovery.look(false);
  }

  /** The command that runs. */
  command(): Command | undefined {
    return this.#command;
  }

  /** True while what the foreground does is the command's doing. */
  get inCommand(): boolean {
    const phase = this.#command?.phase;
    return (phase === "started" || phase === "delivered") && !this.atPrompt();
  }

  /** True when the shell is known to wait for what is typed. */
  atPrompt(): boolean {
    return this.#prompt.here() === "there";
  }

  /** True when the command is over but for the input that it left. */
  get ending(): boolean {
    return this.#command?.phase === "ending";
  }

  /** Lets the host read what has come from the shell already, as when it was busy. */
  async settled(): Promise<void> {
    await quietTurns(() => this.#received);
  }

  /**
   * Gives the script something to read. False when nothing was given: it is over, or not begun after `waitMs`. What it leaves
   * unread is dropped at its end.
   */
  async feed(data: string, waitMs: number): Promise<boolean> {
    const command = this.#command;
    if (!command) return false;
    const begun = (): boolean => command.phase === "delivered" || command.phase === "ending";
    const until = performance.now() + waitMs;
    while (this.#command === command && !begun() && performance.now() < until) await pause(5);
    await this.settled();
    if (this.#command === command && !this.#guard.laid && data !== "") {
      this.#guard.lay();
      // A shell that has looked for the guard before it was there has said its end before that, too: it is on its way. On
      // a busy machine the terminal may hold it back for long, but then the shell stands at its prompt.
      await pause(25);
      await this.settled();
      if (this.atPrompt()) return false;
    }
    if (this.#command !== command || command.phase !== "delivered" || this.#guard.draining) return false;
    this.transport.input(data);
    return true;
  }

  /** Kills the shell and waits until it is gone. */
  async kill(): Promise<void> {
    signal(this.pid, "SIGKILL");
    for (let waited = 0; !this.#exit && waited < 2000; waited += 10) await pause(10);
    this.dispose();
  }

  /** Closes all handles and removes the files. */
  dispose(): void {
    this.#guard.dispose();
    this.#channel.remove();
    this.transport.dispose();
  }

  async #come(startMs: number, rcPath: string): Promise<void> {
    const major = await new Promise<number>((resolve, reject) => {
      const fail = (why: string): void =>
        reject(new Error(`${why}${this.#startText ? `: ${this.#startText.trim()}` : ""}`));
      const timer = setTimeout(() => fail("bash didn't come up"), startMs);
      this.#ready = (version) => {
        clearTimeout(timer);
        resolve(version);
      };
      this.#listener.died = (exit) => {
        clearTimeout(timer);
        fail(`bash ended at its start (${exit.signal ? `signal ${exit.signal}` : `status ${exit.code}`})`);
      };
    });
    this.#channel.removeFile(rcPath);
    // Before version 4, bash reads nothing from a FIFO that it sources.
    if (major < 4) await this.newChannel(true);
    const plumbing = this.transport.backend === "pty" ? ptyPlumbing : pipePlumbing;
    if (plumbing.afterStart) this.typeAside(` ${plumbing.afterStart}\n`);
    await this.#plain(":");
    await this.#prompt.learn(() => this.#promptsDue === 0);
  }

  /** A command of our own at the start: everything must work once before anything is promised. */
  async #plain(script: string): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error("bash came up, but doesn't answer")), 5000);
      const done = (result: () => void): void => {
        clearTimeout(timer);
        result();
      };
      this.#listener.ended = () => done(resolve);
      this.#listener.died = () => done(() => reject(new Error("bash ended at its start")));
      this.execute(script);
    });
  }

  async newChannel(plainFile: boolean): Promise<void> {
    const old = this.#channel;
    this.#channel = await ScriptChannel.create(plainFile);
    old.remove();
  }

  #keepStart(text: string): void {
    this.#startText = (this.#startText + text).slice(0, 500);
  }

  /** Types a line that ends in a prompt of its own. */
  typeAside(line: string): void {
    this.#promptsDue++;
    this.transport.type(line);
  }

  /** Types the command's line. */
  type(command: Command): void {
    const end = secret();
    command.begin = secret();
    command.ends = new Set([end]);
    command.phase = "typed";
    command.typedAt = performance.now();
    command.tries++;
    const traced = this.#options.includes("x");
    this.#channel.prepare(this.#text(command));
    this.transport.type(this.#lines.command({ ...command, ...this.#channel, end, traced }));
  }

  #text(command: Command): string {
    const traced = this.#options.includes("x") ? "{ \\builtin set -x; } 2>/dev/null\n" : "";
    return `${traced}${command.script}\n`;
  }

  #read(text: string): void {
    for (const piece of this.#scanner.push(text)) this.#take(piece);
  }

  #take(piece: Piece): void {
    const command = this.#command;
    if (piece.type === "mark") {
      this.#mark(piece.kind, piece.fields);
    } else if (this.#guard.draining) {
      // Mostly the echo of what is read away.
      if (this.#drainText.length < 65_536) this.#drainText += piece.text;
    } else if (!command || command.phase === "typed" || command.phase === "again" || command.phase === "ending") {
      this.#listener.output(piece.text, "nobody");
    } else if (command.phase === "delivered" && command.questions.length === 0) {
      this.#listener.output(piece.text, "command");
    } else {
      command.tentative += piece.text;
      if (command.tentative.length > tentativeSize) this.#release(command);
    }
  }

  /** Gives what was held, without the questions' echo: what the command printed may have been on its way still. */
  #release(command: Command): void {
    let text = command.tentative;
    command.tentative = "";
    for (const question of command.questions) {
      text = text.replaceAll(`${question}\r\n`, "").replaceAll(`${question}\n`, "").replaceAll(question, "");
    }
    if (text !== "") this.#listener.output(text, "command");
  }

  /** True for a line that is plumbing: echoed, traced or printed by `set -v`. */
  isOurs(line: string): boolean {
    return this.#lines.isOurs(line);
  }

  #mark(kind: string, fields: string[]): void {
    const command = this.#command;
    const known = fields[0] ?? "";
    if (kind === "P") {
      this.#prompted();
    } else if (kind === "D") {
      this.#drained(this.#guard.mark(fields, this.tty));
    } else if (kind === "R") {
      this.tty = fields[2]?.startsWith("/") ? fields[2] : "";
      this.#ready?.(Number(fields[1]) || 0);
      this.#ready = undefined;
    } else if (kind === "A" && command?.begin === known && command.phase === "typed") {
      command.phase = "started";
      this.#promptsDue = 0;
      void this.#deliver(command);
    } else if (kind === "E" && command?.ends.has(known)) {
      this.#promptsDue++;
      this.#options = fields[2] ?? "";
      this.#whereIs(fields.slice(3).join(";"));
      if (command.phase === "delivered") {
        this.#release(command);
        const status = Number(fields[1]) & 255;
        // What put the shell right before the second question has set `$?`, too.
        command.exit = status === 0 && command.interrupted && command.questions.length > 1 ? 130 : status;
        this.#renew ||= command.interrupted;
        if (this.#guard.laid) this.#end(command);
        else this.#finish(command);
      } else {
        this.#recovery.again(command);
      }
    }
  }

  /** The command is over; what it left of its input is read away first. */
  #end(command: Command): void {
    command.phase = "ending";
    // The shell's own limit is shorter.
    setTimeout(() => this.#finish(command), 5000).unref();
  }

  /** The shell was seen at its prompt although it said nothing of the input: once all it said is heard, that counts. */
  confirmEnd(command: Command): void {
    void this.#endAtPrompt(command);
  }

  async #endAtPrompt(command: Command): Promise<void> {
    await pause(lineMs / 5);
    await this.settled();
    if (this.#prompt.here() === "there") this.#finish(command);
  }

  #drained(drain: Drain): void {
    const command = this.#command;
    if (drain === undefined || drain === "begun") return;
    const text = this.#drainText;
    this.#drainText = "";
    if (!drain.dropped && text !== "") this.#listener.output(text, "nobody");
    if (!command) return;
    command.dropped ||= drain.dropped;
    if (command.phase === "ending") this.#finish(command);
  }

  #finish(command: Command): void {
    if (this.#command !== command) return;
    // The answer was typed and nobody has read it: a comment, which a line end completes.
    if (this.#guard.draining) this.typeAside("\n");
    this.#over();
    this.#listener.ended(command.exit, command.dropped);
  }

  #whereIs(word: string): void {
    const told = unquoteWord(word);
    // A very long directory was cut for the mark's sake, and a script may have put anything in PWD.
    this.cwd = (told.startsWith("/") && told.length < 900 ? told : this.processes.cwd(this.pid)) ?? this.cwd;
  }

  #over(): void {
    this.#command = undefined;
    this.#guard.lift();
    this.#drainText = "";
    this.#channel.settle();
  }

  async #deliver(command: Command): Promise<void> {
    const { begin } = command;
    const delivered = await this.#channel.deliver(this.#text(command));
    if (this.#command !== command || command.phase !== "started") return;
    if (delivered) {
      command.phase = "delivered";
      this.#release(command);
      return;
    }
    // Its FIFO is gone, which it notices. If that happened while it stood before it, Ctrl-C lets it go on.
    await pause(lineMs);
    if (this.#command === command && command.begin === begin && command.phase === "started") signal(this.pid, "SIGINT");
  }

  /** Prompted although nothing was typed: the shell seems to be at its prompt. */
  #prompted(): void {
    const command = this.#command;
    if (command?.phase === "ending") this.confirmEnd(command);
    if (this.#promptsDue > 0) this.#promptsDue--;
    else if (command && command.phase !== "again") void this.#recovery.lookOften(command);
  }

  /** Kills a shell that doesn't answer. */
  abandon(): void {
    this.#abandoned = true;
    signal(this.pid, "SIGKILL");
  }

  #died(exit: BashExit): void {
    if (this.#exit) return;
    this.#exit = exit;
    this.#read(this.#decoder.end());
    for (const piece of this.#scanner.end()) this.#take(piece);
    const command = this.#command;
    const unrun = command !== undefined && command.phase !== "delivered";
    if (command) this.#release(command);
    this.#over();
    this.#listener.died(exit, { abandoned: this.#abandoned, unrun });
  }
}
