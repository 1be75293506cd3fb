import { Session } from "node:inspector/promises";
import { fileURLToPath } from "node:url";

/** Calls made before the one that is measured: what is loaded, compiled and remembered by the first ones does not count. */
const warmCalls = 3;

/** By which vitest hands out what a file exports: whoever only reads a name has not entered the file. */
const exportGetter = /^\(\) ?=> ?\{ ?try ?\{ ?return [\w$.]+ ?\} ?catch ?\{ ?\} ?\}$/;

/**
 * Returns the source files of the packages that one warm call enters, as `agent/loop/steps.ts`, sorted: those of which a function ran. Works
 * where each source file is a script of its own, as in vitest. Work in other threads and processes is not seen.
 */
export async function filesEntered(call: () => Promise<unknown>): Promise<string[]> {
  for (let made = 0; made < warmCalls; made += 1) await call();
  const session = new Session();
  session.connect();
  try {
    await session.post("Profiler.enable");
    await session.post("Debugger.enable");
    await session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: false });
    // Work that an earlier call left behind is counted here, and not below.
    await session.post("Profiler.takePreciseCoverage");
    await call();
    const { result } = await session.post("Profiler.takePreciseCoverage");
    const entered = new Set<string>();
    for (const { scriptId, url, functions } of result) {
      const file = sourceFile(url);
      if (file === undefined) continue;
      const { scriptSource } = await session.post("Debugger.getScriptSource", { scriptId });
      const isWork = ({ ranges: [range] }: (typeof functions)[number]): boolean =>
        range !== undefined &&
        range.count > 0 &&
        !exportGetter.test(scriptSource.slice(range.startOffset, range.endOffset));
      if (functions.some(isWork)) entered.add(file);
    }
    return [...entered].sort();
  } finally {
    session.disconnect();
  }
}

function sourceFile(url: string): string | undefined {
  const path = (url.startsWith("file:") ? fileURLToPath(url) : url).replaceAll("\\", "/");
  const found = /\/packages\/([\w-]+)\/src\/([^?]+)$/.exec(path);
  return found ? `${found[1]}/${found[2]}` : undefined;
}
