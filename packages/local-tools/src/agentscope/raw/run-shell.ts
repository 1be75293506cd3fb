import { type ChildProcess, spawn } from "node:child_process";
import { constants } from "node:os";
import { StringDecoder } from "node:string_decoder";
import { cutText } from "@toolglot/core/results";
import { onAbort } from "@toolglot/internal";
import type { Confinement } from "../../confinement/confinement.ts";
import { localError } from "../../errors.ts";
import { ConfinedBash } from "../../shell/confined-bash.ts";
import { signal as sendSignal } from "../../shell/processes.ts";
import { closeOthers } from "../../shell/transport.ts";

export interface ShellRun {
  command: string;
  cwd: string | undefined;
  env: Record<string, string>;
  confinement: Confinement | undefined;
  timeoutMs: number;
  /** UTF-16 units kept of each stream. */
  maxChars: number;
  signal: AbortSignal;
}

export interface ShellRunResult {
  /** Exit status; 128 and the signal's number where a signal ended it, -1 when its time was over or it was aborted. */
  returncode: number;
  stdout: string;
  stderr: string;
  ended: "exit" | "timeout" | "abort";
}

/** So long after SIGTERM comes SIGKILL. */
const graceMs = 2_000;
/** So long the streams may stay open after the shell has ended: what it left behind holds them. */
const drainMs = 250;

/**
 * Runs a command in a fresh shell without input. Nothing that it started in its process group outlives it: at the timeout,
 * at an abort and at its end the group gets SIGTERM, then SIGKILL. On Windows its tree of processes is killed at once, and
 * what a command left behind at its own end lives on.
 */
export function runShell(run: ShellRun): Promise<ShellRunResult> {
  const { command, cwd, env, confinement, timeoutMs, maxChars, signal } = run;
  if (signal.aborted) return Promise.resolve({ returncode: -1, stdout: "", stderr: "", ended: "abort" });
  const confined = confinement && new ConfinedBash(confinement, cwd ?? process.cwd(), "pipe");
  const [shell, args] = confined ? confinedShellOf(command, confined) : shellOf(command, env);
  return new Promise((resolve, reject) => {
    const child = spawn(shell, args, {
      cwd,
      env,
      detached: process.platform !== "win32",
      stdio: ["ignore", "pipe", "pipe"],
      windowsHide: true,
      windowsVerbatimArguments: true,
    });
    const stdout = new BoundedOutput(maxChars);
    const stderr = new BoundedOutput(maxChars);
    child.stdout.on("data", (bytes: Buffer) => stdout.write(bytes));
    child.stderr.on("data", (bytes: Buffer) => stderr.write(bytes));
    let ended: ShellRunResult["ended"] = "exit";
    let status: number | undefined;
    let drain: NodeJS.Timeout | undefined;
    let isSettled = false;

    const stop = (why: "timeout" | "abort"): void => {
      if (status !== undefined || ended !== "exit") return;
      ended = why;
      stopGroup(child);
    };
    const timer = setTimeout(() => stop("timeout"), timeoutMs);
    const stopListening = onAbort(signal, () => stop("abort"));
    const tidyUp = (): void => {
      isSettled = true;
      clearTimeout(timer);
      clearTimeout(drain);
      stopListening();
      confined?.dispose();
    };
    const settle = (): void => {
      // Its streams may be closed while something it started runs on in silence.
      if (process.platform !== "win32") stopGroup(child);
      if (isSettled) return;
      tidyUp();
      child.stdout.destroy();
      child.stderr.destroy();
      const returncode = ended === "exit" ? (status ?? -1) : -1;
      resolve({ returncode, stdout: stdout.end(), stderr: stderr.end(), ended });
    };
    child.on("error", (error) => {
      if (child.pid !== undefined) return;
      tidyUp();
      const cure = "its working directory may be gone, or the shell is not installed.";
      reject(localError("ShellUnavailable", `No shell could be started: ${cure}`, {}, error));
    });
    child.on("exit", (code, name) => {
      status = code ?? 128 + (name === null ? 0 : constants.signals[name]);
      clearTimeout(timer);
      drain = setTimeout(settle, drainMs);
    });
    child.on("close", settle);
  });
}

function shellOf(command: string, env: Record<string, string>): [string, string[]] {
  if (process.platform !== "win32") return ["/bin/sh", ["-c", command]];
  const name = Object.keys(env).find((key) => key.toUpperCase() === "COMSPEC");
  return [(name && env[name]) || "cmd.exe", ["/d", "/s", "/c", `"${command}"`]];
}

/** As {@link shellOf}; what the host has open is closed first: bubblewrap's first process would hold it for a moment. */
function confinedShellOf(command: string, confined: ConfinedBash): [string, string[]] {
  const { bash: program, args } = confined.command("/bin/sh", ["-c", command]);
  return ["bash", ["--noprofile", "--norc", "-c", `${closeOthers("[012]")}; exec "$@"`, "bash", program, ...args]];
}

function stopGroup(child: ChildProcess): void {
  const { pid } = child;
  if (pid === undefined) return;
  if (process.platform === "win32") {
    spawn("taskkill", ["/pid", String(pid), "/T", "/F"], { stdio: "ignore", windowsHide: true }).on("error", () => {
      child.kill();
    });
    return;
  }
  if (!sendSignal(-pid, "SIGTERM")) return;
  const begun = performance.now();
  const check = (): void => {
    if (!sendSignal(-pid, 0)) return;
    if (performance.now() - begun >= graceMs) sendSignal(-pid, "SIGKILL");
    else setTimeout(check, 50);
  };
  setTimeout(check, 50);
}

/** Keeps the beginning and the end of what a stream prints, as UTF-8 text, in bounded memory. */
export class BoundedOutput {
  readonly #half: number;
  readonly #decoder = new StringDecoder("utf8");
  #head = "";
  /** What follows the head; its front is dropped from time to time. */
  #tail = "";
  #total = 0;

  /** `maxChars`: UTF-16 units of text that are kept. */
  constructor(maxChars: number) {
    this.#half = Math.max(1, Math.floor(maxChars / 2));
  }

  write(bytes: Buffer): void {
    this.#add(this.#decoder.write(bytes));
  }

  /** Returns the whole, or beginning and end with a line between that counts what is missing. */
  end(): string {
    this.#add(this.#decoder.end());
    if (this.#total <= this.#head.length + this.#half) return this.#head + this.#tail;
    const head = cutText(`${this.#head} `, this.#head.length);
    const end = this.#tail.slice(-this.#half).replace(/^[\udc00-\udfff]/, "");
    return `${head}\n[… ${this.#total - head.length - end.length} characters left out …]\n${end}`;
  }

  #add(text: string): void {
    this.#total += text.length;
    const room = this.#half - this.#head.length;
    this.#head += text.slice(0, room);
    this.#tail += text.slice(room);
    if (this.#tail.length > 4 * this.#half + 65_536) this.#tail = this.#tail.slice(-this.#half);
  }
}
