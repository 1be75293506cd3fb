import { randomBytes } from "node:crypto";
import { StringDecoder } from "node:string_decoder";
import { sleep } from "@toolglot/internal";
import type { Confinement } from "../confinement/confinement.ts";
import { MarkScanner, type Piece } from "../output/mark-scanner.ts";
import type { Bash, BashListener } from "./bash.ts";
import { BashCommands } from "./bash-commands.ts";
import { ConfinedBash } from "./confined-bash.ts";
import { InputGuard } from "./input-guard.ts";
import { terminalOf } from "./linux-processes.ts";
import { inputFd, marksFd, pipePlumbing, pipeTransport } from "./pipe-transport.ts";
import { type Processes, PromptPlace, signal } from "./processes.ts";
import { ptyPlumbing, ptyTransport } from "./pty-transport.ts";
import { ScriptChannel } from "./script-channel.ts";
import type { BashExit, Transport, TransportOptions } from "./transport.ts";
import { TypedLines } from "./typed-lines.ts";
import type { ShellBackend } from "./types.ts";

export interface BashOptions extends Omit<TransportOptions, "args"> {
  backend: ShellBackend;
  processes: Processes;
  confinement: Confinement | undefined;
  startMs: number;
}

/** One bash: its process, its terminal or pipes, its files. {@link BashCommands} runs commands in it. */
export class BashProcess implements Bash {
  readonly transport: Transport;
  readonly processes: Processes;
  readonly prompt: PromptPlace;
  readonly commands: BashCommands;
  /** The terminal's device; empty without one. */
  tty = "";
  /** What scripts read: the terminal, or a pipe. Empty where the system doesn't show it. */
  inputPlace = "";
  /** Where its output and errors go at its start. */
  #outputPlace: string | undefined;
  cwd: string;
  listener: BashListener;
  /** Where scripts lie; to be removed when the host exits. */
  channel: ScriptChannel;
  readonly #confined: ConfinedBash | undefined;
  readonly #guard: InputGuard;
  #pid: number;
  readonly #scanner: MarkScanner;
  readonly #decoder: StringDecoder = new StringDecoder("utf8");
  #ready: ((major: number) => void) | undefined;
  #abandoned = false;
  #exit: BashExit | undefined;
  #startText = "";
  #received = 0;

  private constructor(
    transport: Transport,
    channel: ScriptChannel,
    lines: TypedLines,
    guard: InputGuard,
    nonce: string,
    options: BashOptions,
    confined: ConfinedBash | undefined,
  ) {
    this.transport = transport;
    this.#confined = confined;
    this.#guard = guard;
    this.#pid = transport.pid;
    this.processes = options.processes;
    this.prompt = new PromptPlace(options.processes, this);
    this.cwd = options.cwd;
    this.channel = channel;
    this.#scanner = new MarkScanner(nonce);
    this.listener = { output: (text) => this.#keepStart(text), ended: () => undefined, died: () => undefined };
    this.commands = new BashCommands(this, lines, guard);
    transport.onData((bytes) => {
      this.#received += bytes.length;
      this.#read(this.#decoder.write(bytes));
    });
    transport.onExit((exit) => this.#died(exit));
  }

  /** Starts a bash; rejects with what it printed when it doesn't come up. */
  static async start(options: BashOptions): Promise<BashProcess> {
    const nonce = randomBytes(8).toString("hex");
    const { backend, cwd, confinement } = options;
    const confined = confinement && new ConfinedBash(confinement, cwd, backend);
    const channel = await ScriptChannel.create(false, confined?.folder);
    let started: BashProcess | undefined;
    try {
      const open = backend === "pty" ? ptyTransport : pipeTransport;
      const plumbing = backend === "pty" ? ptyPlumbing : pipePlumbing;
      const guardPath = channel.place(`input-${nonce}`);
      const lines = new TypedLines(nonce, plumbing, guardPath);
      const rcPath = channel.writeFile("rc", lines.rcFile());
      const args = ["--noprofile", "--rcfile", rcPath, "--noediting", "-i"];
      const transport = await open({ ...options, ...(confined?.command(options.bash, args) ?? { args }) });
      const guard = new InputGuard(nonce, guardPath, plumbing, transport);
      started = new BashProcess(transport, channel, lines, guard, nonce, options, confined);
      await started.#comeUp(options.startMs, rcPath, plumbing.afterStart);
      return started;
    } catch (error) {
      if (started) await started.kill();
      channel.remove();
      confined?.dispose();
      throw error;
    }
  }

  get exited(): boolean {
    return this.#exit !== undefined;
  }

  get pid(): number {
    return this.#pid;
  }

  get group(): number {
    const isOwn = this.#confined === undefined || this.transport.backend === "pty";
    return isOwn ? this.pid : (this.#confined?.first ?? this.pid);
  }

  /** Of a confined shell: what could not be protected, one sentence each. */
  get limits(): readonly string[] {
    return this.#confined?.start.limits ?? [];
  }

  /**
   * Lets the host read what has come from the shell already, as after it was busy: until three rounds of its event loop in a
   * row brought nothing; and what is on its way through the terminal.
   */
  async settled(): Promise<void> {
    let quiet = 0;
    for (let round = 0; round < 100 && quiet < 3; round++) {
      const before = this.#received;
      await new Promise<void>((resolve) => setImmediate(resolve));
      quiet = this.#received === before ? quiet + 1 : 0;
    }
    this.transport.readNow();
  }

  /** Takes the mark of the rc file: the shell's own number, bash's major version, and its terminal. */
  isUp(inside: number, major: number, tty: string): void {
    this.tty = tty;
    if (this.#confined) {
      const here = this.#confined.find(this.transport.pid, inside);
      if (here === undefined) return;
      this.#pid = here;
      this.#guard.shell = inside;
      // Inside, its terminal has another name.
      if (tty !== "") this.tty = terminalOf(here) ?? "";
    }
    const { backend } = this.transport;
    const at = (fd: number): string | undefined => this.processes.openAt(this.pid, fd);
    this.inputPlace = backend === "pty" ? this.tty : (at(inputFd) ?? "");
    this.#outputPlace = backend === "pty" ? this.tty : at(marksFd);
    this.#ready?.(major);
    this.#ready = undefined;
  }

  /** Returns a note for a shell whose own output no longer comes here; undefined while it does. To be asked for after a command's end. */
  async outputNote(): Promise<string | undefined> {
    const atPrompt = (): boolean => !this.prompt.known || this.prompt.here() === "there";
    // What is typed behind a script has its errors elsewhere for a moment: only what is seen at the prompt counts.
    for (let n = 0; n < 20 && this.#awayOutputs().length > 0 && !atPrompt(); n++) await sleep(1);
    if (!atPrompt()) return undefined;
    const away = this.#awayOutputs();
    const [first] = away;
    if (first === undefined) return undefined;
    const what = away.map((fd) => (fd === 1 ? "output" : "errors")).join(" and ");
    const cure =
      this.transport.backend === "pty"
        ? `\`exec ${away.map((fd) => `${fd}>/dev/tty`).join(" ")}\` brings it back`
        : "`exit` ends the shell, and the next command gets a new one";
    const where = this.processes.openAt(this.pid, first) ?? "nowhere";
    return `What the shell itself prints (${what}) goes to ${where} since an \`exec\`, and is not seen here; ${cure}.`;
  }

  #awayOutputs(): (1 | 2)[] {
    const here = this.#outputPlace;
    if (this.exited || here === undefined || here === "") return [];
    return ([1, 2] as const).filter((fd) => {
      const place = this.processes.openAt(this.pid, fd);
      return place !== here && !this.processes.isTerminalName(place ?? "");
    });
  }

  /** Ends a confined shell whose covers are no longer whole. True when it can be used. */
  async checkCovers(): Promise<boolean> {
    if (this.#confined?.checkCovers() !== false) return true;
    await this.kill();
    return false;
  }

  /** Why it was ended by the session; undefined when it was not. */
  get #because(): string | undefined {
    const uncovered = this.#confined?.uncovered;
    if (uncovered !== undefined)
      return `was ended, since another program changed ${uncovered}, which took its protection away`;
    return this.#abandoned ? "no longer answered and was ended" : undefined;
  }

  async newChannel(plainFile: boolean): Promise<void> {
    const old = this.channel;
    this.channel = await ScriptChannel.create(plainFile, this.#confined?.folder);
    old.remove();
    // The shell ended meanwhile, and its files were removed without this one.
    if (this.exited) this.channel.remove();
  }

  /** Kills a shell that doesn't answer. */
  abandon(): void {
    this.#abandoned = true;
    signal(this.pid, "SIGKILL");
  }

  /** Kills the shell and waits until it is gone. */
  async kill(): Promise<void> {
    if (this.#confined) this.#confined.kill(this.transport.pid);
    else signal(this.pid, "SIGKILL");
    for (let waited = 0; !this.#exit && waited < 2000; waited += 10) await sleep(10);
    await this.#confined?.gone();
    this.dispose();
  }

  /** Kills the shell and its group, and of a confined one everything. */
  killNow(): void {
    if (this.#confined) this.#confined.kill(this.transport.pid);
    else if (!this.exited) for (const target of [-this.pid, this.pid]) signal(target, "SIGKILL");
  }

  removeFiles(): void {
    this.channel.remove();
    this.#confined?.dispose();
  }

  dispose(): void {
    this.commands.dispose();
    this.removeFiles();
    this.transport.dispose();
  }

  async #comeUp(startMs: number, rcPath: string, afterStart: string): Promise<void> {
    const major = await new Promise<number>((resolve, reject) => {
      const fail = (why: string): void =>
        reject(new Error(`${why}${this.#startText ? `: ${this.#startText.trim()}` : ""}`));
      const timer = setTimeout(() => fail("bash didn't come up"), startMs);
      this.#ready = (version) => {
        clearTimeout(timer);
        resolve(version);
      };
      this.listener.died = (exit) => {
        clearTimeout(timer);
        fail(`bash ended at its start (${exit.signal ? `signal ${exit.signal}` : `status ${exit.code}`})`);
      };
    });
    this.channel.removeFile(rcPath);
    // Before version 4, bash reads nothing from a FIFO that it sources.
    if (major < 4) await this.newChannel(true);
    if (afterStart) this.commands.typeAside(` ${afterStart}\n`);
    await this.#runOnce(":", startMs);
    await this.prompt.learn(() => this.commands.allPrompted);
  }

  /** Runs a command of our own at the start: everything must work once before anything is promised. */
  async #runOnce(script: string, ms: number): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error("bash came up, but doesn't answer")), ms);
      const done = (result: () => void): void => {
        clearTimeout(timer);
        result();
      };
      this.listener.ended = () => done(resolve);
      this.listener.died = () => done(() => reject(new Error("bash ended at its start")));
      this.commands.execute(script);
    });
  }

  #keepStart(text: string): void {
    this.#startText = (this.#startText + text).slice(0, 500);
  }

  #read(text: string): void {
    for (const piece of this.#scanner.push(text)) this.#take(piece);
  }

  #take(piece: Piece): void {
    if (piece.type === "mark") this.commands.mark(piece.kind, piece.fields);
    else this.commands.printed(piece.text);
  }

  #died(exit: BashExit): void {
    if (this.#exit) return;
    this.#exit = exit;
    this.#read(this.#decoder.end());
    for (const piece of this.#scanner.end()) this.#take(piece);
    const unrun = this.commands.shellDied();
    this.listener.died(exit, { because: this.#because, unrun });
  }
}
