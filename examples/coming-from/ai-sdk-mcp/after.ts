import { toAiSdkTools } from "@toolglot/ai-sdk";
import { Toolkit } from "@toolglot/toolkit";
import { createMcpClient } from "@toolglot/toolkit/mcp";
import { generateText, stepCountIs } from "ai";
import { model } from "../setup/ai-sdk.ts";
import { transport } from "../setup/mcp-server.ts";

const toolkit = new Toolkit();
await toolkit.registerMcpClient(createMcpClient({ name: "files", transport }));
const { steps } = await generateText({
  model: model(
    { tool: "read_lines", arguments: '{"path":"a.txt","lines":"3"}' },
    { tool: "delete_file", arguments: '{"path":"a.txt"}' },
    "Done.",
  ),
  tools: toAiSdkTools(toolkit),
  prompt: "Read three lines of a.txt, then delete it.",
  stopWhen: stepCountIs(5),
});
for (const part of steps.flatMap(({ content }) => content))
  console.log(part.type, ...(part.type === "tool-result" ? [part.output] : []));
await toolkit.removeMcpClients(["files"]);
