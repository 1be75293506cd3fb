import { contentText } from "@toolglot/core";
import { expect, it } from "vitest";
import { Toolkit } from "../../src/index.ts";
import { createMcpClient } from "../../src/mcp/index.ts";
import { orMissing } from "../../src/mcp/load-client.ts";
import { final } from "../support.ts";
import { inProcess, listed } from "./in-process.ts";
import { clientOf, httpServer, isAlive, stdioClient, until } from "./support.ts";

async function pidOf(kit: Toolkit): Promise<number> {
  return Number(contentText((await final(kit, { name: "pid" })).content));
}

it("says how to get the package that MCP needs", async () => {
  // biome-ignore lint/suspicious/noExplicitAny: a name that no package has
  const load = (): Promise<any> => import("@toolglot/none-such" as string);
  await expect(orMissing(load)).rejects.toMatchObject({
    code: "toolkit/mcp-missing",
    message: expect.stringContaining("npm install @modelcontextprotocol/client"),
  });
  // A package that is there, and broken, is another matter.
  await expect(orMissing(() => Promise.reject(new SyntaxError("broken")))).rejects.toThrow(SyntaxError);
});

it("tells mistakes in the options at once, with the cure", () => {
  const fails = (options: unknown, pattern: RegExp): void => {
    expect(() => createMcpClient(options as never)).toThrow(pattern);
    expect(() => createMcpClient(options as never)).toThrow(TypeError);
  };
  fails(undefined, /needs options/);
  fails({ transport: { type: "stdio", command: "x" } }, /needs a name/);
  fails({ name: "x" }, /needs a transport: { type: "stdio"/);
  fails({ name: "x", transport: { type: "sse" } }, /needs a transport/);
  fails({ name: "x", transport: { type: "stdio" } }, /needs a command/);
  fails(
    { name: "x", transport: { type: "stdio", command: "x", args: "y" } },
    /transport.args must be an array, not "y"/,
  );
  fails(
    { name: "x", transport: { type: "stdio", command: "npx -y server" } },
    /command: "npx", args: \["-y","server"\]/,
  );
  fails({ name: "x", transport: { type: "stdio", command: "x", env: { A: 1 } } }, /env as an object of strings/);
  fails({ name: "x", command: "x" }, /no option "command".*transport: \{ type: "stdio", command, args \}/);
  fails({ name: 5, transport: () => {} }, /name must be text, not 5/);
  fails({ name: "x", transport: { type: "http", url: "ftp://x" } }, /http:\/\/ or https:\/\//);
  fails({ name: "x", transport: { type: "http", url: "nowhere" } }, /http:\/\/ or https:\/\//);
  fails({ name: "x", transport: () => {}, stateful: "yes" }, /stateful must be true or false, not "yes"/);
  fails({ name: "x", transport: () => {}, connectTimeoutMs: 0 }, /connectTimeoutMs/);
  fails(
    { name: "x", transport: () => {}, revision: "2025-11-25" },
    /revision must be "auto" or "legacy" or an object, .* pin/,
  );
  fails({ name: "x", transport: () => {}, maxBufferSize: 0 }, /maxBufferSize/);
  fails({ name: "x", transport: () => {}, elicitation: true }, /elicitation must be "host" or a function/);
  fails({ name: "x", transport: () => {}, sampling: "me" }, /sampling must be "host" or a function/);
  fails({ name: "x", transport: () => {}, roots: "/" }, /roots must be "host" or an array or a function/);
  fails({ name: "x", transport: () => {}, onLog: 1 }, /onLog must be a function/);
  fails({ name: "x", transport: () => {}, clientOptions: { versionNegotiation: {} } }, /takes revision/);
  fails({ name: "x", transport: { type: "http", url: "http://x", fallback: 1 } }, /fallback must be true or false/);
  fails({ name: "x", transport: { type: "http", url: "http://x", authProvider: {} } }, /authProvider as an OAuth/);
});

it("nothing is started before the first use", async () => {
  const server = inProcess([listed("a")]);
  expect([server.client.connected, server.open()]).toEqual([false, 0]);
  await server.client.connect();
  expect([server.client.connected, server.open()]).toEqual([true, 1]);
  await server.client.connect();
  expect(server.open()).toBe(1);
});

it("a server that won't start: its own words, and nothing left", async () => {
  const client = stdioClient({ REFUSE_START: "1" });
  await expect(client.connect()).rejects.toMatchObject({
    code: "toolkit/mcp-connection",
    message: expect.stringContaining("the licence has run out"),
  });
  const kit = new Toolkit();
  await expect(kit.registerMcpClient(client)).rejects.toMatchObject({ code: "toolkit/mcp-connection" });
  expect(kit.registered.size).toBe(0);
});

it("a command that there is not, a port where nobody listens, a page that is no server", async () => {
  const nowhere = clientOf({ name: "x", transport: { type: "stdio", command: "/no/such/command" } });
  await expect(nowhere.connect()).rejects.toThrow(/can't be used: .*ENOENT: there is no such program/);
  const server = await httpServer();
  const page = clientOf({ name: "x", transport: { type: "http", url: `http://127.0.0.1:${server.port}/other` } });
  await expect(page.connect()).rejects.toMatchObject({ code: "toolkit/mcp-connection" });
  await server.kill();
  const closed = clientOf({ name: "x", transport: { type: "http", url: server.url } });
  await expect(closed.connect()).rejects.toThrow(/can't be used: fetch failed: .*ECONNREFUSED/);
});

it("a server that says nothing: the time is limited, and the process is ended", async () => {
  const pids: string[] = [];
  const client = clientOf({
    name: "mute",
    transport: {
      type: "stdio",
      command: process.execPath,
      args: ["-e", "process.stderr.write(String(process.pid)); setInterval(() => {}, 1000)"],
      onStderr: (text) => pids.push(text),
    },
    connectTimeoutMs: 700,
  });
  await expect(client.connect()).rejects.toThrow(/can't be used: Request timed out/);
  await until(() => pids.length > 0 && !isAlive(Number(pids.join(""))));
});

it("standard error goes to whom asks for it", async () => {
  const heard: string[] = [];
  const transport = {
    type: "stdio" as const,
    command: process.execPath,
    args: ["-e", "console.error('Grüße'); process.exit(1)"],
    onStderr: (text: string) => heard.push(text),
  };
  // A server that dies of the question for the newest revision is started once more.
  await expect(clientOf({ name: "x", transport, revision: "legacy" }).connect()).rejects.toThrow(/It wrote: Grüße/);
  expect(heard.join("")).toBe("Grüße\n");
});

it("gives the server few of the host's variables, and those that it is told to", async () => {
  process.env.TOOLGLOT_TEST_SECRET = "s3cret";
  try {
    const code =
      "process.stderr.write(JSON.stringify([process.env.TOOLGLOT_TEST_SECRET ?? null, process.env.GIVEN, process.cwd()]))";
    const transport = {
      type: "stdio" as const,
      command: process.execPath,
      args: ["-e", code],
      env: { GIVEN: "yes" },
      cwd: "/",
    };
    await expect(clientOf({ name: "x", transport }).connect()).rejects.toThrow('[null,"yes","/"]');
  } finally {
    delete process.env.TOOLGLOT_TEST_SECRET;
  }
});

it("ends the server with the client", async () => {
  const kit = new Toolkit();
  await kit.registerMcpClient(stdioClient());
  const pid = await pidOf(kit);
  expect(isAlive(pid)).toBe(true);
  await kit.removeMcpClients(["unruly"]);
  await until(() => !isAlive(pid));
});

it("ends calls that run when the client is closed", async () => {
  const kit = new Toolkit();
  const client = stdioClient();
  await kit.registerMcpClient(client);
  const call = final(kit, { name: "hang", input: { note: "n" } });
  await new Promise((resolve) => setTimeout(resolve, 50));
  await kit.close();
  expect((await call).error?.type).toBe("InDoubt");
  await expect(client.callTool({ name: "pid", arguments: {}, repeatable: true })).rejects.toMatchObject({
    data: { type: "ServerUnavailable" },
    message: expect.stringContaining("did not run"),
  });
});

it("does not leave a server that started while the client was closed", async () => {
  const server = inProcess([listed("a")]);
  const connecting = server.client.connect().catch((error: unknown) => error);
  await server.client.close();
  await connecting;
  await until(() => server.open() === 0);
  expect(server.client.connected).toBe(false);
});

it("a server that ends neither at the end of input nor at SIGTERM is killed when the host exits", async () => {
  const before = process.listeners("exit");
  const kit = new Toolkit();
  await kit.registerMcpClient(stdioClient({ STUBBORN: "1" }));
  const pid = await pidOf(kit);
  const added = process.listeners("exit").filter((listener) => !before.includes(listener));
  expect(added).toHaveLength(1);
  for (const listener of added) (listener as () => void)();
  await until(() => !isAlive(pid));
  await until(() => process.listeners("exit").length === before.length);
});

it("a session over HTTP is ended with the client, and with each call when stateless", async () => {
  const server = await httpServer();
  const transport = { type: "http" as const, url: server.url };
  const stateful = clientOf({ name: "x", transport });
  await stateful.listTools();
  await stateful.callTool({ name: "pid", arguments: {}, repeatable: true });
  expect(await server.get("/sessions")).toEqual({ opened: 1, open: 1 });
  await stateful.close();
  expect(await server.get("/sessions")).toEqual({ opened: 1, open: 0 });
  const stateless = clientOf({ name: "y", transport, stateful: false });
  await stateless.callTool({ name: "pid", arguments: {}, repeatable: true });
  await stateless.callTool({ name: "pid", arguments: {}, repeatable: true });
  await stateless.close();
  expect(await server.get("/sessions")).toEqual({ opened: 3, open: 0 });
});
