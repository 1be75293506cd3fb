import { checkKeys, isObject, type KnownKeys } from "@toolglot/internal";
import { checkNumbers } from "./check-numbers.ts";
import type { SandboxDurableRunOptions } from "./durable/types.ts";
import { resolveLimits } from "./limits.ts";
import { reuseRanges } from "./reuse.ts";
import type { ImportPolicy, PoolOptions, ProgramStyle, Sandbox, SandboxLanguage, SandboxOptions } from "./types.ts";

/** Options of every sandbox. */
export type CommonOptions = Pick<
  SandboxOptions,
  "language" | "limits" | "tools" | "imports" | "style" | "guard" | "domain" | "pool" | "reuse" | "seed"
>;

export const commonKeys = "language limits tools imports style guard domain pool reuse seed";

/** Throws `TypeError` for options that make no sense. `languages`: those that run here. `keys`: the options that there are here. */
export function checkOptions<Options extends CommonOptions, const Text extends string>(
  options: Options,
  languages: readonly SandboxLanguage[],
  keys: KnownKeys<Options, Text>,
): void {
  const given = options as Partial<CommonOptions> | undefined;
  if (!languages.includes(given?.language as SandboxLanguage)) {
    const offered = languages.map((language) => `{ language: "${language}" }`).join(" or ");
    throw new TypeError(`createSandbox() takes ${offered}, not ${JSON.stringify(given?.language)}.`);
  }
  const { language, imports, domain, pool, reuse, seed, tools, guard } = options;
  for (const name of Object.keys(resolveLimits(language))) {
    if (Object.hasOwn(options, name)) throw new TypeError(`${name} is a limit: give it as limits: { ${name} }.`);
  }
  checkKeys("createSandbox()", options, keys);
  checkImports(imports);
  checkStyle(options.style);
  checkTools(tools);
  if (guard !== undefined && typeof guard !== "boolean") throw new TypeError("guard must be true or false.");
  checkDomain(domain);
  checkNumbers("pool", pool, poolRanges);
  checkNumbers("reuse", reuse, reuseRanges);
  if (seed !== undefined && typeof seed !== "string" && !Number.isFinite(seed)) {
    throw new TypeError("seed must be a string or a finite number.");
  }
}

const callbacks = ["approve", "onLog", "onToolCallStart", "onToolCallProgress", "onToolCall"] as const;

/** Throws `TypeError` for options of a run that make no sense; of `durable` see `resolveSettings`. */
export function checkRunOptions(options: Omit<SandboxDurableRunOptions, "durable">): void {
  if (Object.hasOwn(Object(options), "limits")) {
    throw new TypeError("limits are those of the sandbox: give them to createSandbox().");
  }
  checkKeys("The run", options as SandboxDurableRunOptions, [
    "durable tools domain signal imports style files callIdPrefix runId wait ask hooked",
    ...callbacks,
  ]);
  checkImports(options.imports);
  checkStyle(options.style);
  checkTools(options.tools);
  checkDomain(options.domain);
  const { signal, callIdPrefix } = options;
  if (signal != null && !("aborted" in Object(signal) && "addEventListener" in Object(signal))) {
    throw new TypeError("signal must be an AbortSignal, as the signal of an AbortController.");
  }
  if (callIdPrefix !== undefined && typeof callIdPrefix !== "string") throw new TypeError("callIdPrefix must be text.");
  for (const name of callbacks) {
    if (options[name] !== undefined && typeof options[name] !== "function") {
      throw new TypeError(`${name} must be a function.`);
    }
  }
}

/** Throws `TypeError` for what is no sandbox. `taker`: the function that takes it. */
export function checkSandbox(taker: string, sandbox: unknown): void {
  if (isObject(sandbox) && typeof (sandbox as Partial<Sandbox>).run === "function") return;
  throw new TypeError(`${taker} takes a sandbox, made with createSandbox().`);
}

/** Throws `TypeError` for what is no session, nor a function that gives one. `taker`: the function that takes it. */
export function checkSession(taker: string, session: unknown): void {
  if (session === undefined || typeof session === "function") return;
  if (isObject(session) && "checkpoints" in session && typeof session.run === "function") return;
  throw new TypeError(`${taker}: session must be a session, as openSession() gives, or a function that gives one.`);
}

function checkTools(tools: unknown): void {
  if (tools !== undefined && !Array.isArray(tools)) throw new TypeError("tools must be an array of tools.");
}

function checkDomain(domain: unknown): void {
  if (domain === undefined || (typeof domain === "string" && domain !== "")) return;
  throw new TypeError("domain must be text that is not empty: it says whose programs may share an interpreter.");
}

/** Of each number of a pool: its least and its largest value. */
const poolRanges: Readonly<Record<keyof PoolOptions, readonly [number, number]>> = {
  size: [0, 64],
  maxConcurrency: [1, 64],
  maxWaiting: [0, 1_000_000],
};

function checkStyle(style: ProgramStyle | undefined): void {
  if (style !== undefined && style !== "attp" && style !== "notebook") {
    throw new TypeError(`style must be "attp" or "notebook", not ${JSON.stringify(style)}.`);
  }
}

function checkImports(imports: ImportPolicy | undefined): void {
  if (imports !== undefined && imports !== "refuse" && imports !== "ignore-allowed") {
    throw new TypeError(`imports must be "refuse" or "ignore-allowed", not ${JSON.stringify(imports)}.`);
  }
}
