import { spawnSync } from "node:child_process";
import variant from "@jitl/quickjs-ng-wasmfile-release-sync";
import { Monty, runMontyAsync } from "@pydantic/monty";
import { loadQuickJs } from "@sebastianwessel/quickjs";
import { newQuickJSWASMModuleFromVariant, type QuickJSSyncVariant, RELEASE_SYNC } from "quickjs-emscripten";
import { processorMs, programs, timedEcho } from "./measures.ts";

/** What a peer was seen to do. */
export interface PeerFigures {
  name: string;
  /** Milliseconds of a trivial program after the first. */
  warm: number[];
  /** Microseconds of a call of an empty async tool; empty when it has none. */
  call: number[];
  /** Milliseconds of the loop. */
  loop: number[];
  /** Whether its limit of 64 MB (Python: 256) held a program that keeps a thousand. */
  cap: string;
}

const limitBytes = 64 * 1024 * 1024;

/** `@sebastianwessel/quickjs`: a runtime over the same engine, in the host's own thread. */
export async function wesselQuickjs(rounds: number): Promise<PeerFigures> {
  const { runSandboxed } = await loadQuickJs(variant as unknown as QuickJSSyncVariant);
  const run = async (code: string, env: Record<string, unknown> = {}): Promise<unknown> => {
    const result = await runSandboxed(async ({ evalCode }) => await evalCode(code), {
      executionTimeout: 60_000,
      memoryLimit: limitBytes,
      env,
    });
    return result.ok ? result.data : result.error.name;
  };
  const gaps: number[] = [];
  const echo = timedEcho(gaps);
  const call = (value: number): unknown => echo.execute({ value }, { signal: AbortSignal.timeout(60_000), callId: "" });
  const { loop } = programs.javascript;
  await run("export default 1");
  const warm = await repeat(rounds, () => run("export default 1"));
  await run("for (let n = 0; n < 1000; n++) await env.echo(n); export default 1", { echo: call });
  const looped = await repeat(5, () => run(loop.replace("__result__ =", "export default")));
  const cap = await run(programs.javascript.hoard.replace("__result__ =", "export default"));
  return { name: "@sebastianwessel/quickjs 3.1.0", warm, call: gaps, loop: looped, cap: kept(cap) };
}

/** The engine by itself: a context in the host's own thread. */
export async function bareQuickjs(rounds: number): Promise<PeerFigures> {
  const engine = await newQuickJSWASMModuleFromVariant(RELEASE_SYNC);
  const run = (code: string): unknown => {
    const runtime = engine.newRuntime();
    runtime.setMemoryLimit(limitBytes);
    const context = runtime.newContext();
    const result = context.evalCode(code);
    const value: unknown = context.dump(result.error ?? result.value);
    result.dispose();
    context.dispose();
    runtime.dispose();
    return value;
  };
  const { loop, hoard } = programs.javascript;
  run("1");
  const warm = await repeat(rounds, () => run("1"));
  const looped = await repeat(5, () => run(loop));
  return { name: "quickjs-emscripten 0.32.0 by itself", warm, call: [], loop: looped, cap: kept(run(hoard)) };
}

/** Processor time of each of so many programs, in a fresh module of the engine each: what a program costs without a border. */
export async function freshQuickjsEach(count: number): Promise<number> {
  const before = processorMs();
  for (let number = 0; number < count; number += 1) {
    const context = (await newQuickJSWASMModuleFromVariant(RELEASE_SYNC)).newContext();
    context.unwrapResult(context.evalCode("1")).dispose();
    context.dispose();
  }
  return (processorMs() - before) / count;
}

/** Processor time per program, when each program has its own process. */
export function processEach(command: string, args: readonly string[], count: number): number {
  const before = processorMs();
  for (let number = 0; number < count; number += 1) spawnSync(command, args);
  return (processorMs() - before) / count;
}

/** Monty: a Python subset in Rust, in the host's own process. */
export async function monty(rounds: number): Promise<PeerFigures> {
  const limits = { maxMemory: 256 * 1024 * 1024, maxDurationSecs: 60 };
  const run = (code: string): unknown => new Monty(`${code}\n__result__`).run({ limits });
  const { trivial, loop, calls } = programs.python;
  const gaps: number[] = [];
  const echo = timedEcho(gaps);
  const tool = async (value: unknown): Promise<unknown> =>
    await echo.execute({ value: Number(value) }, { signal: AbortSignal.timeout(60_000), callId: "" });
  run(trivial);
  const warm = await repeat(rounds, () => run(trivial));
  await runMontyAsync(new Monty(`${calls(1000)}\n__result__`), { externalFunctions: { echo: tool } });
  const looped = await repeat(5, () => run(loop));
  let cap: unknown;
  try {
    cap = run("kept = []\nfor n in range(1000):\n    kept.append('x' * 1048576 + str(n))\n__result__ = len(kept)");
  } catch (error) {
    cap = error instanceof Error ? error.message.split(":")[0] : "error";
  }
  return { name: "@pydantic/monty 0.0.18", warm, call: gaps, loop: looped, cap: kept(cap) };
}

function kept(outcome: unknown): string {
  return outcome === 1000 ? "1000 MB kept" : describe(outcome);
}

function describe(outcome: unknown): string {
  if (typeof outcome === "string") return outcome;
  const { name, message } = (outcome ?? {}) as { name?: string; message?: string };
  return message ?? name ?? String(outcome);
}

async function repeat(rounds: number, work: () => unknown): Promise<number[]> {
  const times: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const begun = performance.now();
    await work();
    times.push(performance.now() - begun);
  }
  return times;
}
