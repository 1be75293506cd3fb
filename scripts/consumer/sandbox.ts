import { createSandbox } from "@toolglot/sandbox";

export async function consume(): Promise<string> {
  const sandbox = createSandbox({ language: "python" });
  try {
    const tools = [
      {
        name: "price",
        description: "The price of an article.",
        inputSchema: {
          type: "object" as const,
          properties: { article: { type: "string" as const } },
          required: ["article"],
        },
        execute: async ({ article }: { article: string }) => (article === "tea" ? 3 : 4),
      },
    ];
    const run = await sandbox.run('print("adding up")\n__result__ = price("tea") + price(article="jam")', { tools });
    const wrong = await sandbox.run("__result__ = 1 / 0", {});
    if (run.status !== "ok" || wrong.status !== "error") throw new Error(JSON.stringify([run, wrong]));
    const javascript = createSandbox({ language: "javascript", tools });
    const same = await javascript.run('return (await price({ article: "tea" })) + (await price({ article: "jam" }));');
    await javascript[Symbol.asyncDispose]();
    if (same.status !== "ok") throw new Error(JSON.stringify(same));
    // Whether there are namespaces is up to the system.
    const missing = sandbox.stats().missingWalls.filter((wall) => wall !== "namespace");
    if (missing.length > 0) await mustRefuse();
    return [
      same.value,
      run.value,
      run.logs.map((entry) => entry.text.trim()).join(),
      wrong.error.type,
      wrong.error.line,
      `missing: ${[...missing, ...javascript.stats().missingWalls.map((wall) => `${wall} of JavaScript`)].join() || "nothing"}`,
    ].join(" | ");
  } finally {
    await sandbox[Symbol.asyncDispose]();
  }
}

/** Where a wall is missing, nothing runs that needs them all. */
async function mustRefuse(): Promise<void> {
  const strict = createSandbox({ language: "python", isolation: "required", pool: { size: 0 } });
  const run = await strict.run("__result__ = 1");
  await strict[Symbol.asyncDispose]();
  if (run.status === "ok") throw new Error("it ran though a wall is missing");
}

const result = "7 | 7 | adding up | ZeroDivisionError | 1";

export const expected = `${result} | missing: nothing`;

/** Bun has no permission model and no limits of memory; under Deno nothing starts. */
export const expectedOn = {
  bun: `${result} | missing: files,processes,memory,network,memory of JavaScript`,
  deno: "sandbox/runtime-unsupported",
};
