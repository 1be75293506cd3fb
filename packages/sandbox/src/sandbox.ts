import { ToolglotError } from "@toolglot/core";
import type { Engine } from "./engine.ts";
import { GuestPool } from "./pool.ts";
import { ProgramRun } from "./run/program-run.ts";
import { bindTools } from "./run/tools.ts";
import type {
  ImportPolicy,
  PoolOptions,
  Sandbox,
  SandboxLanguage,
  SandboxLimits,
  SandboxOptions,
  SandboxPoolStats,
  SandboxRun,
  SandboxRunOptions,
} from "./types.ts";

/** What kind of sandbox it is, besides its options. */
export interface SandboxParts {
  engine: Engine;
  limits: SandboxLimits;
  pool: Required<PoolOptions>;
}

/** A sandbox over an engine. `options` were checked. */
export function makeSandbox(options: SandboxOptions, parts: SandboxParts): Sandbox {
  const { engine, limits } = parts;
  const { language } = options;
  const tools = options.tools ?? [];
  bindTools(tools, [], language);
  const { size, maxConcurrent } = { ...parts.pool, ...options.pool };
  const pool = new GuestPool(engine, size, maxConcurrent);
  const disposal = new AbortController();
  let runs = 0;

  async function run(code: string, given: SandboxRunOptions = {}): Promise<SandboxRun> {
    if (typeof code !== "string") throw new TypeError("run() takes the program as text.");
    checkImports(given.imports);
    const number = ++runs;
    const programTools = bindTools(tools, given.tools ?? [], language);
    if (disposal.signal.aborted) throw disposedError();
    const signal = given.signal ? AbortSignal.any([given.signal, disposal.signal]) : disposal.signal;
    const program = new ProgramRun({
      code,
      engine,
      limits,
      tools: programTools,
      imports: given.imports ?? options.imports ?? "refuse",
      guard: options.guard ?? true,
      seed: options.seed === undefined ? freshSeed() : String(options.seed),
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

  const stats = (): SandboxPoolStats => ({
    engine: engine.label,
    isolation: engine.isolation,
    ...pool.counts,
    snapshot: engine.snapshot,
  });

  async function dispose(): Promise<void> {
    disposal.abort();
    await pool.dispose();
  }

  return { language, limits, run, warm, stats, [Symbol.asyncDispose]: dispose };
}

function disposedError(): ToolglotError {
  return new ToolglotError("sandbox-disposed", "The sandbox was disposed: make a new one with createSandbox().");
}

function freshSeed(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(32)), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** Throws `TypeError` for options that make no sense. `languages`: those that run here. */
export function checkOptions(options: SandboxOptions, languages: readonly SandboxLanguage[]): void {
  const given = options as Partial<SandboxOptions> | undefined;
  if (!languages.includes(given?.language as SandboxLanguage)) {
    const offered = languages.map((language) => `{ language: "${language}" }`).join(" or ");
    throw new TypeError(`createSandbox() takes ${offered}, not ${JSON.stringify(given?.language)}.`);
  }
  const { imports, pool, cacheDir, seed, tools } = given as SandboxOptions;
  checkImports(imports);
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
