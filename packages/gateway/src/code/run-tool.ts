import type { JsonObject } from "@toolglot/core";
import type { SandboxLanguage } from "@toolglot/sandbox";

export const runName = "toolglot_run";

const names: Readonly<Record<SandboxLanguage, string>> = { javascript: "JavaScript", python: "Python" };

const writing: Readonly<Record<SandboxLanguage, string>> = {
  javascript:
    "JavaScript: `const rows = await tools.shop.list_orders({ late: true }); return rows.length;` Promise.all makes calls side by side.",
  python:
    "Python: `rows = await tools.shop.list_orders(late=True)`, and the value of the last expression is the result. asyncio.gather makes calls side by side.",
};

/** The tool that runs programs, as a list has it. */
export function runTool(languages: readonly SandboxLanguage[]): JsonObject & { name: string; inputSchema: JsonObject } {
  const [first = "javascript"] = languages;
  return {
    name: runName,
    description: [
      `Runs a ${languages.map((language) => names[language]).join(" or ")} program that calls tools; gives the value that it returns, and what it prints. One program in place of many calls: loop, filter and add up there, and return only what is needed.`,
      'In it `await tools.<server>.<tool>({ …arguments })` calls a tool, `tools["<name>"](…)` one by the name that toolglot_search gives. The value is the tool\'s structured result, else its text; a call that fails throws ToolError. `await tools.search("words")` finds tools, with their schemas.',
      ...languages.map((language) => writing[language]),
      "There is no network and no import from outside. Values and output are cut at 2,000 tokens each.",
      "Answered `pending`, it waits for somebody's approval: go on with { resume: receipt }. The same program, asked for again, goes on too.",
    ].join("\n"),
    inputSchema: {
      type: "object",
      properties: {
        code: { type: "string", description: "The program." },
        language: { type: "string", enum: [...languages], default: first },
        resume: { type: "string", description: "In place of code: the receipt of a program that waits." },
      },
      additionalProperties: false,
    },
  };
}
