import { spawnSync } from "node:child_process";
import variant from "@jitl/quickjs-ng-wasmfile-release-sync";
import { Monty, runMontyAsync } from "@pydantic/monty";
import { loadQuickJs } from "@sebastianwessel/quickjs";
import { newQuickJSWASMModuleFromVariant, type QuickJSSyncVariant, RELEASE_SYNC } from "quickjs-emscripten";
import { timesOf } from "../measure.ts";
import { perRound, programs, timedEcho } from "./measures.ts";

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
  const warm = await timesOf({ rounds }, () => run("export default 1"));
  await run("for (let n = 0; n < 1000; n++) await env.echo(n); export default 1", { echo: call });
  const looped = await timesOf({ rounds: 5 }, () => run(loop.replace("__result__ =", "export default")));
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
  const warm = await timesOf({ rounds }, () => run("1"));
  const looped = await timesOf({ rounds: 5 }, () => run(loop));
  return { name: "quickjs-emscripten 0.32.0 by itself", warm, call: [], loop: looped, cap: kept(run(hoard)) };
}

/** Processor time of a program in a fresh module of the engine: what one costs without a border. */
export const freshQuickjsEach = (rounds: number): Promise<number> =>
  perRound(rounds, async () => {
    const context = (await newQuickJSWASMModuleFromVariant(RELEASE_SYNC)).newContext();
    context.unwrapResult(context.evalCode("1")).dispose();
    context.dispose();
  });

/** Processor time per program, when each program has its own process. */
export const processEach = (command: string, args: readonly string[], rounds: number): Promise<number> =>
  perRound(rounds, () => spawnSync(command, args));

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
  const warm = await timesOf({ rounds }, () => run(trivial));
  await runMontyAsync(new Monty(`${calls(1000)}\n__result__`), { externalFunctions: { echo: tool } });
  const looped = await timesOf({ rounds: 5 }, () => run(loop));
  let cap: unknown;
  try {
    cap = run("kept = []\nfor n in range(1000):\n    kept.append('x' * 1048576 + str(n))\n__result__ = len(kept)");
  } catch (error) {
    cap = error instanceof Error ? error.message.split(":")[0] : "error";
  }
  return { name: "@pydantic/monty 0.0.18", warm, call: gaps, loop: looped, cap: kept(cap) };
}

function kept(outcome: unknown): string {
  if (outcome === 1000) return "1000 MB kept";
  if (typeof outcome === "string") return outcome;
  const { name, message } = (outcome ?? {}) as { name?: string; message?: string };
  return message ?? name ?? String(outcome);
}
