import { randomBytes } from "node:crypto";
import { ToolglotError } from "@toolglot/core";
import { resolveLimits } from "../limits.ts";
import { GuestPool } from "../pool.ts";
import { ProgramRun } from "../run/program-run.ts";
import { bindTools } from "../run/tools.ts";
import type {
  ImportPolicy,
  Sandbox,
  SandboxOptions,
  SandboxPoolStats,
  SandboxRun,
  SandboxRunOptions,
} from "../types.ts";
import { PyodideEngine } from "./python/pyodide-engine.ts";

const DEFAULT_POOL = { size: 1, maxConcurrent: 4 };

/**
 * Makes a sandbox. Starts nothing yet: the first run does, or `warm()`. Interpreters that are ready do not keep the
 * process alive; `await using`, or `Symbol.asyncDispose`, ends them.
 *
 * Throws `TypeError` for options that make no sense, `ToolglotError` (`engine-missing`) when the engine's package is
 * not installed, with the command that installs it.
 */
export function createSandbox(options: SandboxOptions): Sandbox {
  checkOptions(options);
  const limits = resolveLimits(options.limits);
  const tools = options.tools ?? [];
  bindTools(tools, []);
  const engine = new PyodideEngine(limits, options.cacheDir);
  const { size, maxConcurrent } = { ...DEFAULT_POOL, ...options.pool };
  const pool = new GuestPool(engine, size, maxConcurrent);
  const disposal = new AbortController();
  let runs = 0;

  async function run(code: string, given: SandboxRunOptions = {}): Promise<SandboxRun> {
    if (typeof code !== "string") throw new TypeError("run() takes the program as text.");
    checkImports(given.imports);
    const number = ++runs;
    const programTools = bindTools(tools, given.tools ?? []);
    if (disposal.signal.aborted) throw disposedError();
    const signal = given.signal ? AbortSignal.any([given.signal, disposal.signal]) : disposal.signal;
    const program = new ProgramRun({
      code,
      engine,
      limits,
      tools: programTools,
      imports: given.imports ?? options.imports ?? "refuse",
      guard: options.guard ?? true,
      seed: options.seed === undefined ? randomBytes(32).toString("hex") : String(options.seed),
      callIdPrefix: given.callIdPrefix ?? `run-${number}`,
      options: given,
      signal,
    });
    return await program.execute(() => pool.acquire(signal));
  }

  async function warm(): Promise<void> {
    if (disposal.signal.aborted) throw disposedError();
    try {
      await pool.warm();
    } catch (cause) {
      const message = "No interpreter started. The cause says why.";
      throw new ToolglotError("engine-start-failed", message, { cause, data: { engine: engine.label } });
    }
  }

  const stats = (): SandboxPoolStats => ({ engine: engine.label, ...pool.counts, snapshot: engine.snapshot });

  async function dispose(): Promise<void> {
    disposal.abort();
    await pool.dispose();
  }

  return { language: options.language, limits, run, warm, stats, [Symbol.asyncDispose]: dispose };
}

function disposedError(): ToolglotError {
  return new ToolglotError("sandbox-disposed", "The sandbox was disposed: make a new one with createSandbox().");
}

function checkOptions(options: SandboxOptions): void {
  const given = options as Partial<SandboxOptions> | undefined;
  if (given?.language !== "python") {
    throw new TypeError(`createSandbox() takes { language: "python" }, not ${JSON.stringify(given?.language)}.`);
  }
  checkImports(given.imports);
  const { pool, cacheDir, seed, tools } = given;
  if (tools !== undefined && !Array.isArray(tools)) throw new TypeError("tools must be an array of tools.");
  if (pool?.size !== undefined && !isWhole(pool.size, 0)) {
    throw new TypeError("pool.size must be a whole number from 0 to 64.");
  }
  if (pool?.maxConcurrent !== undefined && !isWhole(pool.maxConcurrent, 1)) {
    throw new TypeError("pool.maxConcurrent must be a whole number from 1 to 64.");
  }
  if (cacheDir !== undefined && cacheDir !== false && (typeof cacheDir !== "string" || cacheDir === "")) {
    throw new TypeError("cacheDir must be a folder's path, or false.");
  }
  if (seed !== undefined && typeof seed !== "string" && !Number.isFinite(seed)) {
    throw new TypeError("seed must be a string or a finite number.");
  }
}

function checkImports(imports: ImportPolicy | undefined): void {
  if (imports !== undefined && imports !== "refuse" && imports !== "ignore-allowed") {
    throw new TypeError(`imports must be "refuse" or "ignore-allowed", not ${JSON.stringify(imports)}.`);
  }
}

function isWhole(value: unknown, least: number): boolean {
  return typeof value === "number" && Number.isInteger(value) && value >= least && value <= 64;
}
