import { type ChildProcess, spawn } from "node:child_process";
import { createServer } from "node:net";
import { contentText } from "@toolglot/core";
import { leftToCi } from "@toolglot/internal/testing";
import { expect, it } from "vitest";
import type { McpClient } from "../../src/index.ts";
import { Toolkit } from "../../src/index.ts";
import { clientOf, everythingPath, firstOutput, killer, until } from "../mcp/support.ts";
import { collect, final, texts } from "../support.ts";

/** The reference server, as npm has it. */
const everything = everythingPath();

function overStdio(stateful = true): McpClient {
  const transport = { type: "stdio" as const, command: process.execPath, args: [everything, "stdio"] };
  return clientOf({ name: "everything", transport, stateful });
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return typeof address === "object" && address !== null ? address.port : 0;
}

async function startHttp(port: number): Promise<() => Promise<void>> {
  const child: ChildProcess = spawn(process.execPath, [everything, "streamableHttp"], {
    env: { ...process.env, PORT: String(port) },
    stdio: ["ignore", "ignore", "pipe"],
  });
  await firstOutput(child, /listening on port/);
  return killer(child);
}

async function kitOf(client: McpClient): Promise<Toolkit> {
  const kit = new Toolkit();
  expect(await kit.registerMcpClient(client)).toEqual([
    'The tool "simulate-research-query" of the MCP server "everything" is left out: it can only be called as an MCP task.',
  ]);
  return kit;
}

/** What must be the same however the server is reached. */
async function tour(kit: Toolkit): Promise<void> {
  expect([...kit.registered.keys()]).toEqual(expect.arrayContaining(["echo", "get-sum", "get-tiny-image"]));
  expect(contentText((await final(kit, { name: "echo", input: { message: "hi" } })).content)).toBe("Echo: hi");
  // "2" is a slip; it is coerced by the server's own schema.
  expect(contentText((await final(kit, { name: "get-sum", input: { a: "2", b: 3 } })).content)).toContain("5");

  const weather = await final(kit, { name: "get-structured-content", input: { location: "Chicago" } });
  expect(weather).toMatchObject({ status: "ok", data: { temperature: 36, humidity: 82 } });
  expect(kit.registered.get("get-structured-content")?.definition.outputSchema).toMatchObject({ type: "object" });

  const image = await final(kit, { name: "get-tiny-image" });
  expect(image.content[1]).toMatchObject({ type: "image", mediaType: "image/png" });

  const links = await final(kit, { name: "get-resource-links", input: { count: 2 } });
  expect(links.content.filter(({ type }) => type === "resource")).toHaveLength(2);

  const embedded = await final(kit, { name: "get-resource-reference", input: { resourceType: "Text", resourceId: 1 } });
  expect(embedded.content.find(({ type }) => type === "resource")).toMatchObject({ mediaType: "text/plain" });

  const wrong = await final(kit, { name: "get-resource-reference", input: { resourceType: "Text", resourceId: -1 } });
  expect(wrong).toMatchObject({ status: "error", error: { type: "ToolError" } });

  const invalid = await final(kit, { name: "get-structured-content", input: { location: "Rome" } });
  expect(invalid).toMatchObject({ status: "error", error: { type: "InvalidInput" } });

  const long = await collect(kit, { name: "trigger-long-running-operation", input: { duration: 0.2, steps: 4 } });
  expect(texts(long).slice(0, -1)).toEqual([
    "Progress: 1 of 4",
    "Progress: 2 of 4",
    "Progress: 3 of 4",
    "Progress: 4 of 4",
  ]);
  expect(long.at(-1)).toMatchObject({ isLast: true, status: "ok" });
  expect(texts(long).at(-1)).toContain("Long running operation completed");
}

it("everything over stdio", async () => {
  await tour(await kitOf(overStdio()));
});

it("everything over stdio, a process for each call", async (context) => {
  leftToCi(context);
  const kit = await kitOf(overStdio(false));
  expect(contentText((await final(kit, { name: "echo", input: { message: "hi" } })).content)).toBe("Echo: hi");
});

it("everything over Streamable HTTP; when it comes back, it has forgotten the session", async () => {
  const port = await freePort();
  const kill = await startHttp(port);
  const client = clientOf({ name: "everything", transport: { type: "http", url: `http://127.0.0.1:${port}/mcp` } });
  const kit = await kitOf(client);
  await tour(kit);
  await kill();
  await startHttp(port);
  // Its word for a lost session is 400.
  expect(contentText((await final(kit, { name: "echo", input: { message: "again" } })).content)).toBe("Echo: again");
});

it("everything over Streamable HTTP, a session for each call", async () => {
  const port = await freePort();
  await startHttp(port);
  const url = `http://127.0.0.1:${port}/mcp`;
  const kit = await kitOf(clientOf({ name: "everything", transport: { type: "http", url }, stateful: false }));
  const calls = ["a", "b", "c"].map((message) => final(kit, { name: "echo", input: { message } }));
  expect(texts(await Promise.all(calls))).toEqual(["Echo: a", "Echo: b", "Echo: c"]);
});

it("tools that come with the client's capabilities; the list follows", async () => {
  const transport = { type: "stdio" as const, command: process.execPath, args: [everything, "stdio"] };
  const client = clientOf({
    name: "everything",
    transport,
    clientOptions: { capabilities: { roots: {} } },
    prepareClient: (official) => {
      official.setRequestHandler("roots/list", () => ({ roots: [{ uri: "file:///work", name: "work" }] }));
    },
  });
  const kit = await kitOf(client);
  // The server registers it after the greeting.
  await until(() => kit.registered.has("get-roots-list"));
  expect(contentText((await final(kit, { name: "get-roots-list" })).content)).toContain("file:///work");
});
