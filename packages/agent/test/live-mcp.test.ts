import { InMemoryTransport } from "@modelcontextprotocol/client";
import { Server } from "@modelcontextprotocol/server";
import { createAgent, nativeProtocol } from "@toolglot/agent";
import { scriptedModel } from "@toolglot/agent/testing";
import type { ModelPart } from "@toolglot/core";
import { tamPrompt } from "@toolglot/prompts/tam";
import { tamProtocol } from "@toolglot/tam";
import { Toolkit, toolkitExecutor } from "@toolglot/toolkit";
import { createMcpClient } from "@toolglot/toolkit/mcp";
import { afterEach, expect, it, vi } from "vitest";

type Listed = { name: string; description: string; inputSchema: { type: "object" } };

const listed = (name: string): Listed => ({ name, description: `Does ${name}.`, inputSchema: { type: "object" } });
const closers: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

/** A toolkit with the tools of a server whose tool `learn` gives it another one, `fly`, and takes `walk` away. */
async function learningServer(): Promise<Toolkit> {
  const kit = new Toolkit();
  let tools = [listed("learn"), listed("walk")];
  const server = new Server({ name: "learner", version: "1.0.0" }, { capabilities: { tools: { listChanged: true } } });
  server.setRequestHandler("tools/list", () => ({ tools }));
  server.setRequestHandler("tools/call", async ({ params }) => {
    if (params.name === "learn") {
      tools = [listed("learn"), listed("fly")];
      await server.sendToolListChanged();
      // The answer comes when the client has read the list: what a model then asks for is what there is.
      await vi.waitUntil(() => kit.registered.has("fly"));
    }
    return { content: [{ type: "text", text: `${params.name}: done` }] };
  });
  const client = createMcpClient({
    name: "learner",
    transport: async () => {
      const [ours, theirs] = InMemoryTransport.createLinkedPair();
      await server.connect(theirs);
      return ours;
    },
  });
  closers.push(
    () => client.close(),
    () => server.close(),
  );
  await kit.registerMcpClient(client);
  return kit;
}

const native = (name: string): ModelPart[] => [{ type: "call", call: { id: "", name, input: {}, protocol: "native" } }];
const tam = (name: string): string => `<|[REQUEST_TOOL]|>\ncommand:»»»${name}«««\n<|[END_TOOL]|>`;

it.each([
  ["declared", nativeProtocol(), native],
  ["in a text prompt", tamProtocol({ prompt: tamPrompt }), tam],
] as const)("a server's changed list is in the next request, %s", async (_, protocol, call) => {
  const kit = await learningServer();
  const model = scriptedModel([call("learn"), call("fly"), call("walk"), "Done."]);
  const { results } = await createAgent({ model, protocol, executor: toolkitExecutor(kit), tools: kit }).run("Go")
    .result;
  const shown = model.requests.map((request) => {
    const text = JSON.stringify([request.tools, request.messages.filter(({ role }) => role === "system")]);
    return ["learn", "walk", "fly"].filter((name) => text.includes(`Does ${name}.`));
  });
  expect(shown).toEqual([
    ["learn", "walk"],
    ["learn", "fly"],
    ["learn", "fly"],
    ["learn", "fly"],
  ]);
  expect(results.map(({ name, status, error }) => [name, status, error?.type])).toEqual([
    ["learn", "ok", undefined],
    ["fly", "ok", undefined],
    ["walk", "error", "UnknownTool"],
  ]);
});
