import { checkOptions } from "../check-options.ts";
import { resolveLimits } from "../limits.ts";
import { makeSandbox } from "../sandbox.ts";
import type { Sandbox, SandboxOptions } from "../types.ts";
import { QuickJsEngine } from "./javascript/quickjs-engine.ts";
import { PyodideEngine } from "./python/pyodide-engine.ts";

/**
 * Makes a sandbox. Starts nothing yet: the first run does, or `warm()`. Interpreters that are ready do not keep the
 * process alive; `await using`, or `Symbol.asyncDispose`, ends them.
 *
 * Throws `TypeError` for options that make no sense, `ToolglotError` (`sandbox/engine-missing`) when the engine's package is
 * not installed, with the command that installs it.
 */
export function createSandbox(options: SandboxOptions): Sandbox {
  checkOptions(options, ["python", "javascript"]);
  const limits = resolveLimits(options.language, options.limits);
  if (options.language === "python") {
    const engine = new PyodideEngine(limits, options);
    return makeSandbox(options, { engine, limits, pool: { size: 1, maxConcurrency: 4 } });
  }
  const engine = new QuickJsEngine(limits, options.reuse);
  return makeSandbox(options, { engine, limits, pool: { size: 1, maxConcurrency: 8 } });
}
