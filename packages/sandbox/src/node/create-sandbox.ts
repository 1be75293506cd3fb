import { ToolglotError } from "@toolglot/core";
import { resolveLimits } from "../limits.ts";
import { makeSandbox } from "../sandbox.ts";
import type { Sandbox } from "../sandbox-types.ts";
import type { SandboxOptions } from "../types.ts";
import { checkNodeOptions } from "./check-node-options.ts";
import { QuickJsEngine } from "./javascript/quickjs-engine.ts";
import { PyodideEngine } from "./python/pyodide-engine.ts";
import { makeSessions } from "./session/sessions.ts";

/**
 * Creates a sandbox. Starts nothing yet: the first run does, or `warm()`. Interpreters that are ready do not keep the
 * process alive; `await using`, or `Symbol.asyncDispose`, ends them.
 *
 * Throws `TypeError` for options that make no sense, `ToolglotError` (`sandbox/engine-missing`) when the engine's package is
 * not installed, with the command that installs it, and (`sandbox/runtime-unsupported`) under Deno. Under Bun some walls are missing:
 * {@link SandboxPoolStats.missingWalls} names them.
 *
 * @example
 * ```ts
 * await using sandbox = createSandbox({ language: "javascript", tools });
 * const run = await sandbox.run("__result__ = await add({ a: 19, b: 23 });");
 * const value = run.status === "ok" ? run.value : run.error.message; // 42
 * ```
 */
export function createSandbox(options: SandboxOptions): Sandbox {
  checkNodeOptions(options);
  refuseDeno();
  const limits = resolveLimits(options.language, options.limits);
  if (options.language === "python") {
    const engine = new PyodideEngine(limits, options);
    return makeSandbox(options, { engine, limits, pool: { size: 1, maxConcurrency: 4 }, sessions: makeSessions });
  }
  const engine = new QuickJsEngine(limits);
  return makeSandbox(options, { engine, limits, pool: { size: 1, maxConcurrency: 8 }, sessions: makeSessions });
}

/** Throws under Deno: it starts no interpreter of Python, and its threads can read files they must not and do not end by themselves. */
function refuseDeno(): void {
  const { deno } = process.versions;
  if (deno === undefined) return;
  const message = "Deno can't lock the interpreters in. Run the sandbox under Node 20.19 or later.";
  throw new ToolglotError("sandbox/runtime-unsupported", message, { data: { runtime: `Deno ${deno}` } });
}
