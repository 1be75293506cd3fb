import { join } from "node:path";
import { createSandbox, type Sandbox, type SandboxLanguage } from "@toolglot/sandbox";
import { folderStorage } from "@toolglot/storage";
import { programs, timedEcho } from "../../sandbox/measures.ts";
import type { Unit } from "../meter.ts";

export const units = (folder: string): Unit[] => [
  toolCall("python", join(folder, "python")),
  toolCall("javascript", join(folder, "javascript")),
  program,
  inTurns(join(folder, "turns")),
  resumed(join(folder, "sessions")),
];

/** An interpreter goes on with many programs: its start is another unit. */
const reuse = { maxPrograms: 10_000, maxMs: 3_600_000 };

/** In a program of a hundred calls. */
function toolCall(language: SandboxLanguage, cacheDir: string): Unit {
  return {
    name: `a tool call of a program in ${language === "python" ? "Python" : "JavaScript"}`,
    async ready() {
      const limits = { maxToolCalls: 100_000, toolTimeMs: 600_000, timeoutMs: 60_000 };
      const sandbox = createSandbox({ language, limits, reuse, ...(language === "python" && { cacheDir }) });
      await sandbox.warm();
      const tools = [timedEcho([])];
      const code = programs[language].calls(100);
      return {
        once: () => expectRun(sandbox, code, "done", { tools, domain: "costs" }),
        times: 100,
        isElsewhere: true,
        close: () => sandbox[Symbol.asyncDispose](),
      };
    },
  };
}

const program: Unit = {
  name: "a program in JavaScript",
  async ready() {
    const sandbox = createSandbox({ language: "javascript" });
    await sandbox.warm();
    const once = (): Promise<void> => expectRun(sandbox, programs.javascript.trivial, 1);
    return { once, isElsewhere: true, close: () => sandbox[Symbol.asyncDispose]() };
  },
};

/** Each has an interpreter kept for it: a turn starts no process. */
const inTurns = (cacheDir: string): Unit => ({
  name: "a program of each of two users in turns, in Python",
  async ready() {
    const sandbox = createSandbox({ language: "python", reuse, cacheDir });
    const run = (domain: string): Promise<void> => expectRun(sandbox, programs.python.trivial, 1, { domain });
    return {
      async once() {
        await run("one user");
        await run("another");
      },
      isElsewhere: true,
      close: () => sandbox[Symbol.asyncDispose](),
    };
  },
});

async function expectRun(sandbox: Sandbox, code: string, expected: unknown, options = {}): Promise<void> {
  const run = await sandbox.run(code, options);
  if (run.status !== "ok" || run.value !== expected) throw new Error(JSON.stringify(run));
}

const resumed = (folder: string): Unit => ({
  name: "a session in JavaScript stored, closed and resumed",
  async ready() {
    const sandbox = createSandbox({ language: "javascript" });
    const shared = { storage: folderStorage(folder), key: new Uint8Array(32).fill(7), domain: "costs" };
    const { id, close } = await openedSession(sandbox, shared);
    await close();
    return {
      async once() {
        const session = await sandbox.resumeSession(id, shared);
        const run = await session.run("rows[7].price += 1;\nreturn rows.length;");
        if (run.status !== "ok" || run.value !== 200) throw new Error(JSON.stringify(run));
        await session.close();
      },
      isElsewhere: true,
      close: () => sandbox[Symbol.asyncDispose](),
    };
  },
});

async function openedSession(sandbox: Sandbox, shared: Parameters<Sandbox["openSession"]>[0]) {
  const session = await sandbox.openSession(shared);
  await session.run('const rows = Array.from({ length: 200 }, (_, n) => ({ id: n, name: "row " + n, price: n }));');
  return { id: session.id, close: () => session.close() };
}
