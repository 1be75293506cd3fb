import { createMcpHandler, Server } from "@modelcontextprotocol/server";
import { expect, it } from "vitest";
import { Toolkit } from "../../src/index.ts";
import { final, texts } from "../support.ts";
import { listed } from "./in-process.ts";
import { clientOf, until } from "./support.ts";

it("speaks the newest protocol, without sessions and without options", async () => {
  const tools = [listed("where", { annotations: { readOnlyHint: true } })];
  const methods: string[] = [];
  const handler = createMcpHandler(() => {
    const server = new Server({ name: "modern", version: "1.0.0" }, { capabilities: { tools: { listChanged: true } } });
    server.setRequestHandler("tools/list", () => ({ tools: tools as never }));
    server.setRequestHandler("tools/call", ({ params }) => ({ content: [{ type: "text", text: params.name }] }));
    return server;
  });
  const client = clientOf({
    name: "modern",
    transport: {
      type: "http",
      url: "http://modern.test/mcp",
      fetch: async (url, init) => {
        const body = typeof init?.body === "string" ? (JSON.parse(init.body) as { method?: string }) : {};
        if (body.method !== undefined) methods.push(body.method);
        return await handler.fetch(new Request(url, init));
      },
    },
  });
  const kit = new Toolkit();
  await kit.registerMcpClient(client);
  expect(methods).toContain("server/discover");
  expect(methods).not.toContain("initialize");
  expect(texts([await final(kit, { name: "where" })])).toEqual(["where"]);
  tools.push(listed("there"));
  handler.notify.toolsChanged();
  await until(() => kit.registered.has("there"));
  expect(texts([await final(kit, { name: "there" })])).toEqual(["there"]);
});
