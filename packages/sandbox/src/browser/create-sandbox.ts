import type { AnyTool } from "@toolglot/core";
import { gotText } from "@toolglot/internal";
import { type CommonOptions, checkOptions, commonKeys } from "../check-options.ts";
import { resolveLimits } from "../limits.ts";
import type { ReuseOptions } from "../reuse.ts";
import { makeSandbox } from "../sandbox.ts";
import type { Sandbox } from "../sandbox-types.ts";
import type { PoolOptions, SandboxLimits } from "../types.ts";
import { quickJsEngine } from "./quickjs-engine.ts";

/** Options of {@link createSandbox} in a browser. */
export interface BrowserSandboxOptions {
  /** The only one a browser runs. */
  language?: "javascript";
  limits?: Partial<SandboxLimits>;
  /** Whose programs these are, as in Node: two domains never share a worker. */
  domain?: string;
  /** How long a worker is used again. */
  reuse?: ReuseOptions;
  /** Tools of every run; those given to `run` win over them. */
  tools?: readonly AnyTool[];
  /** Default size 1, `maxConcurrency` 4. */
  pool?: PoolOptions;
  /** Fixes the program's random numbers, for replay. Default: fresh entropy for each run. */
  seed?: string | number;
  /**
   * Makes the worker, where a bundler does not understand `new Worker(new URL(…, import.meta.url), { type: "module" })`:
   * a module worker that runs `@toolglot/sandbox/guest/javascript/worker.browser.mjs`. Called for each interpreter.
   */
  worker?: () => Worker;
}

/**
 * Creates a sandbox for JavaScript programs in a browser. Starts nothing yet: the first run does, or `warm()`. Throws
 * `TypeError` for options that make no sense.
 */
export function createSandbox(options: BrowserSandboxOptions = {}): Sandbox {
  const { worker = startWorker, language = "javascript", ...rest } = options;
  if (typeof worker !== "function")
    throw new TypeError(`worker must be a function that makes a Worker, not ${gotText(worker)}.`);
  const checked: CommonOptions = { ...rest, language };
  checkOptions(checked, ["javascript"], commonKeys);
  const limits = resolveLimits(language, options.limits);
  return makeSandbox(checked, {
    engine: quickJsEngine(limits, worker),
    limits,
    pool: { size: 1, maxConcurrency: 4 },
  });
}

/** Bundlers search for exactly this expression. The path is the same from `src/browser` and from `dist/browser`. */
function startWorker(): Worker {
  return new Worker(new URL("../../guest/javascript/worker.browser.mjs", import.meta.url), { type: "module" });
}
