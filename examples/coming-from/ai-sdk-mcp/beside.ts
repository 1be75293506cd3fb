// Between the two: the tools of createMCPClient stay, and the model calls them in text.
import assert from "node:assert/strict";
import { createMCPClient } from "@ai-sdk/mcp";
import { toolglotMiddleware } from "@toolglot/ai-sdk";
import { toolsxmlPrompt } from "@toolglot/prompts/toolsxml";
import { toolsxmlProtocol } from "@toolglot/toolsxml";
import { generateText, stepCountIs, wrapLanguageModel } from "ai";
import { model } from "../setup/ai-sdk.ts";
import { transport } from "../setup/mcp-server.ts";

const client = await createMCPClient({ transport: await transport() });
const tools = await client.tools();
const hints = Object.entries(tools).map(([name, { metadata }]) => ({
  name,
  description: "",
  inputSchema: {},
  annotations: metadata?.annotations as object,
}));
const protocol = toolsxmlProtocol({ prompt: toolsxmlPrompt });
async function resultsOf(block: string, definitions: typeof hints) {
  const middleware = toolglotMiddleware({ protocol, specificationVersion: "v3", definitions });
  const { steps } = await generateText({
    model: wrapLanguageModel({ model: model(`<tools>\n${block}\n</tools>`, "Done."), middleware }),
    tools,
    prompt: "Read three lines.",
    stopWhen: stepCountIs(5),
  });
  return steps.flatMap((step) => step.toolResults).map(({ output }) => JSON.stringify(output));
}
// Texts become numbers where the server's schema says so.
const [found = ""] = await resultsOf('<read_lines path="a.txt" lines="3"/>', []);
assert.match(found, /3 lines of a\.txt/);
// It is not clear where the path ends: the call is held, unless the tool is known to read only.
const doubtful = '<read_lines lines="3">\n<path>a</path>.txt</path>\n</read_lines>';
assert.deepEqual(await resultsOf(doubtful, []), []);
assert.equal((await resultsOf(doubtful, hints)).length, 1);
await client.close();
