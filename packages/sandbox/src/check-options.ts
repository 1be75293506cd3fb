import { checkKeys, gotText, isObject, type KnownKeys } from "@toolglot/internal";
import { checkNumbers } from "./check-numbers.ts";
import type { SandboxDurableRunOptions } from "./durable/types.ts";
import { resolveLimits } from "./limits.ts";
import { reuseRanges } from "./reuse.ts";
import type { Sandbox } from "./sandbox-types.ts";
import type { PoolOptions, SandboxLanguage, SandboxOptions } from "./types.ts";

/** Options of every sandbox. */
export type CommonOptions = Pick<
  SandboxOptions,
  "language" | "limits" | "tools" | "imports" | "style" | "guard" | "domain" | "pool" | "reuse" | "seed"
>;

export const commonKeys =
  'language:"python"|"javascript" limits:object tools:object[] imports:"refuse"|"ignore-allowed" style:"attp"|"notebook" guard:boolean domain:text pool:object reuse:object seed:string|number';

const cures = { wheels: "It is an array of paths of wheels, or { dir } with the path of a folder of them." };

/** Throws `TypeError` for options that make no sense. `languages`: those that run here. `keys`: the options that there are here. */
export function checkOptions<Options extends CommonOptions, const Text extends string>(
  options: Options,
  languages: readonly SandboxLanguage[],
  keys: KnownKeys<Options, Text>,
): void {
  const given = options as Partial<CommonOptions> | undefined;
  if (!languages.includes(given?.language as SandboxLanguage)) {
    const offered = languages.map((language) => `{ language: "${language}" }`).join(" or ");
    throw new TypeError(`createSandbox() takes ${offered}, not ${gotText(given?.language)}.`);
  }
  const { language, pool, reuse, seed } = options;
  for (const name of Object.keys(resolveLimits(language))) {
    if (Object.hasOwn(options, name)) throw new TypeError(`${name} is a limit: give it as limits: { ${name} }.`);
  }
  checkKeys("createSandbox()", options, keys, [], cures);
  checkNumbers("pool", pool, poolRanges);
  checkNumbers("reuse", reuse, reuseRanges);
  if (typeof seed === "number" && !Number.isFinite(seed))
    throw new TypeError("seed must be a string or a finite number.");
}

/** Throws `TypeError` for options of a run that make no sense; of `durable` see `resolveSettings`. */
export function checkRunOptions(options: Omit<SandboxDurableRunOptions, "durable">): void {
  if (Object.hasOwn(Object(options), "limits")) {
    throw new TypeError("limits are those of the sandbox: give them to createSandbox().");
  }
  checkKeys("The run", options as SandboxDurableRunOptions, [
    'durable:object tools:object[] domain:text signal:signal imports:"refuse"|"ignore-allowed" style:"attp"|"notebook" files:object[]',
    "callIdPrefix:string runId:text wait:function ask:function hooked:object",
    "approve:function onLog:function onToolCallStart:function onToolCallProgress:function onToolCall:function",
  ]);
}

/** Throws `TypeError` for what is no sandbox. `taker`: the function that takes it. */
export function checkSandbox(taker: string, sandbox: unknown): void {
  if (isObject(sandbox) && typeof (sandbox as Partial<Sandbox>).run === "function") return;
  throw new TypeError(`${taker} takes a sandbox, made with createSandbox().`);
}

/** What to say of a wrong `session`. */
export const sessionCure = { session: "It is a session, as openSession() gives, or a function that gives one." };

/** Throws `TypeError` for what is no session, nor a function that returns one. `taker`: the function that takes it. */
export function checkSession(taker: string, session: unknown): void {
  if (session === undefined || typeof session === "function") return;
  if (isObject(session) && "checkpoints" in session && typeof session.run === "function") return;
  throw new TypeError(`${taker}: session must be another object. ${sessionCure.session}`);
}

/** Of each number of a pool: its least and its largest value. */
const poolRanges: Readonly<Record<keyof PoolOptions, readonly [number, number]>> = {
  size: [0, 64],
  maxConcurrency: [1, 64],
  maxWaiting: [0, 1_000_000],
};
