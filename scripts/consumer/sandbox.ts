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
    return [
      same.value,
      run.value,
      run.logs.map((entry) => entry.text.trim()).join(),
      wrong.error.type,
      wrong.error.line,
    ].join(" | ");
  } finally {
    await sandbox[Symbol.asyncDispose]();
  }
}

export const expected = "7 | 7 | adding up | ZeroDivisionError | 1";
