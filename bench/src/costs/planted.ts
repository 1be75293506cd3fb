import { spawnSync } from "node:child_process";
import { statSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { MessageChannel, Worker } from "node:worker_threads";
import { byScope, compare } from "./guard.ts";
import { type Figures, meter } from "./meter.ts";

const kept: unknown[] = [];

/** Something cheap. */
function work(): void {
  kept.length = 0;
  for (let n = 0; n < 40; n += 1) kept.push(JSON.parse('{"a":[1,2,3],"b":"text"}'));
}

/** What makes the work dearer, one for each kind of figure. */
function costs(): Record<string, () => unknown> {
  const { port1, port2 } = new MessageChannel();
  port2.unref();
  const Binding: new (file: string) => { exec(sql: string): void } = createRequire(
    import.meta.resolve("@toolglot/sqlite"),
  )("libsql");
  const database = new Binding(":memory:");
  return {
    files: () => statSync("/"),
    // Elsewhere the system doesn't say it.
    ...(process.platform === "linux" && { written: () => writeFileSync("/dev/null", "more".repeat(20)) }),
    processes: () => spawnSync("true"),
    threads: () => new Worker("", { eval: true }).terminate(),
    messages: () => port1.postMessage(1),
    statements: () => database.exec("PRAGMA user_version"),
    commits() {
      database.exec("BEGIN");
      database.exec("COMMIT");
    },
    allocated: () => kept.push(new Array(100).fill(0.5)),
    // A member that is added to a spread: a hidden class for each such object.
    "allocated as old": () => kept.push(...[1, 2, 3].map((a) => ({ ...{ a }, b: a, ...{ c: a } }))),
    time() {
      let sum = 0;
      for (let n = 0; n < 400_000; n += 1) sum += n % 7;
      kept.push(sum);
    },
  };
}

/** Plants each kind of cost, and returns those that the guard does not find. */
export async function unfound(scopeOf: (kind: string) => string): Promise<string[]> {
  const figuresOf = (more: () => unknown): Promise<Figures> =>
    meter(
      {
        name: "planted",
        ready: () => ({
          async once() {
            work();
            await more();
          },
        }),
      },
      { warmMs: 60, partMs: 100 },
    );
  // Of what is counted it has nothing.
  const before = { [scopeOf("files")]: { planted: {} }, ...byScope({ planted: await figuresOf(() => {}) }, scopeOf) };
  const missed: string[] = [];
  for (const [kind, cost] of Object.entries(costs())) {
    const planted = await figuresOf(cost);
    // A busy machine gives no time.
    if (kind === "time" && planted.time === undefined) continue;
    const { findings } = compare(before, byScope({ planted }, scopeOf));
    if (!findings.some(({ text, fails }) => fails && text.startsWith(`planted, ${kind}:`))) missed.push(kind);
  }
  return missed;
}
