import type { AnyTool, ToolDefinition } from "@toolglot/core";
import { codeTools, createSandbox } from "@toolglot/sandbox";
import {
  createClient,
  inProcessTransport,
  programTools,
  routerExecutor,
  routerTool,
  type TrpClient,
} from "@toolglot/trp-client";
import { createRouter, principal } from "@toolglot/trp-core";
import { execute } from "../execute.ts";
import type { Table } from "../report.ts";
import { both, each } from "../tokens/count.ts";
import { declared } from "../tokens/forms.ts";
import { resultAsRead } from "./as-read.ts";
import { madeCapability, madeTools } from "./made-catalog.ts";

const sizes = [5, 50, 200, 1000];

/** What catalogs of several sizes cost a model in tokens, in several forms. */
export async function catalogTable(): Promise<Table> {
  const columns = await Promise.all(sizes.map(catalogForms));
  const [smallest] = columns;
  const rows = Object.keys(smallest ?? {}).map((form) => [
    form,
    ...columns.map((column) => each(({ count }) => count(column[form] ?? ""))),
  ]);
  return {
    title: "Tokens of a catalog",
    note: `What stands in the prompt for so many tools. They are made (\`bench/src/tasks/made-catalog.ts\`): twenty services with ten kinds of records each, and five tools for a kind, with the descriptions and arguments that such tools have; smaller catalogs are the first of them. *Native*: the \`tools\` array of a request in OpenAI's form. *MCP*: the tools of \`tools/list\`, which hosts turn into a form of their own. *Lines*: the tool \`router\` with a line for each capability in its description. *Search*: the same tool without them, as more than 40 capabilities are offered; the model finds what it needs, at the price of the two rows below it. *Code*: the tool \`executePythonCode\` with the capabilities as functions, beyond 40 with \`router.search\` and \`router.call\` in their place. Tokens in ${both}.`,
    columns: ["", ...sizes.map((size) => `${size.toLocaleString("en-US")} tools`)],
    rows,
  };
}

/** The texts, by form. */
async function catalogForms(size: number): Promise<Record<string, string>> {
  const tools = madeTools(size);
  const router = createRouter({ capabilities: tools.map(madeCapability), allowVolatile: true });
  const client = createClient({ transport: inProcessTransport(router, principal({ id: "bench" })), agentId: "bench" });
  try {
    const tool = (inlineLimit: number): Promise<ToolDefinition> => routerTool(client, { inlineLimit });
    return {
      "native JSON": JSON.stringify(tools.map(declared)),
      MCP: JSON.stringify({ tools }),
      lines: JSON.stringify([declared(await tool(10_000))]),
      search: JSON.stringify([declared(await tool(0))]),
      "a search, with its answer": await exchange(client, { search: "make a new contact" }),
      "a description, with its answer": await exchange(client, { describe: [tools[2]?.name] }),
      code: JSON.stringify([declared(await codeTool(client))]),
    };
  } finally {
    await client.close();
    await router.close();
  }
}

/** A call of the tool `router`, as it is written and answered. */
async function exchange(client: TrpClient, input: object): Promise<string> {
  const result = await execute(routerExecutor(client), "router", input);
  if (result?.status !== "ok") throw new Error(`${JSON.stringify(input)} gave ${JSON.stringify(result)}`);
  return `${JSON.stringify({ name: "router", arguments: input })}\n${resultAsRead(result)}`;
}

async function codeTool(client: TrpClient): Promise<ToolDefinition> {
  await using sandbox = createSandbox({ language: "python", pool: { size: 0 } });
  const functions: readonly AnyTool[] = await programTools(client, { runId: "bench" });
  return codeTools(sandbox, { tools: functions })[0] as ToolDefinition;
}
