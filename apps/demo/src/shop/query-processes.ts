import { type ChildProcess, fork } from "node:child_process";
import { createRequire } from "node:module";

/** What is asked of a query process: a statement's columns without running it, or its rows. */
export interface Question {
  /** The database file. */
  path: string;
  sql: string;
  only: "columns" | "rows";
  /** How long its process may compute, in milliseconds of processor time. */
  processorMs: number;
}

/** What it answers: what was asked for, or the engine's error. */
export interface Answer {
  columns?: string[];
  rows?: Record<string, unknown>[];
  error?: string;
  /** It computed longer than it may. */
  tooLong?: true;
}

const program = createRequire(import.meta.url).resolve("#query-process");
/** Processes that wait for their next question, as starting one costs more than most queries; two, as queries come in pairs. */
const idle: ChildProcess[] = [];
const maxIdle = 2;

/**
 * Runs a query in a separate process, which is killed when the signal is aborted. Throws the signal's reason, or the engine's error.
 * A process that waits keeps nobody alive.
 */
export async function askQueryProcess(question: Question, signal: AbortSignal): Promise<Answer> {
  signal.throwIfAborted();
  const child = taken() ?? started();
  let killed = false;
  const kill = (): void => {
    killed = true;
    child.kill("SIGKILL");
  };
  signal.addEventListener("abort", kill, { once: true });
  try {
    hold(child);
    const answer = await answered(child, question);
    if (answer.tooLong) kill();
    if (answer.error !== undefined) throw new Error(answer.error);
    return answer;
  } catch (error) {
    if (killed) signal.throwIfAborted();
    throw error;
  } finally {
    signal.removeEventListener("abort", kill);
    if (!killed) keep(child);
  }
}

function started(): ChildProcess {
  // Nothing of the environment is its business, nor the debugger that its parent may run under.
  return fork(program, [], { env: {}, execArgv: [], stdio: ["ignore", "ignore", "inherit", "ipc"] });
}

function taken(): ChildProcess | undefined {
  for (let child = idle.pop(); child !== undefined; child = idle.pop())
    if (child.connected && child.exitCode === null) return child;
  return undefined;
}

function keep(child: ChildProcess): void {
  if (child.exitCode !== null || child.signalCode !== null) return;
  if (idle.length === maxIdle) {
    child.kill("SIGKILL");
    return;
  }
  idle.push(child);
  child.unref();
  child.channel?.unref();
}

function hold(child: ChildProcess): void {
  child.ref();
  child.channel?.ref();
}

function answered(child: ChildProcess, question: Question): Promise<Answer> {
  return new Promise<Answer>((resolve, reject) => {
    const ended = (code: number | null, signal: string | null): void =>
      reject(new Error(`the process of the query ended (${signal ?? code})`));
    const failed = (error: Error): void => reject(error);
    child.once("exit", ended);
    child.once("error", failed);
    child.once("message", (message) => {
      child.off("exit", ended);
      child.off("error", failed);
      resolve(message as Answer);
    });
    child.send(question);
  });
}
