import { expect, it } from "vitest";
import { snippet } from "../../src/config/snippet.ts";
import { load } from "./rig.ts";

const clients = ["claude", "claude-code", "cursor", "vscode"] as const;
const machine = { home: "/h", env: {}, platform: "linux" as const, folder: "/p" };
const command = ["npx", "-y", "toolglot", "gateway", "--stdio"] as const;
const url = "http://127.0.0.1:8765/mcp";

it.each(clients)("should start a gateway from %s, as the client's own file has it", async (client) => {
  const { text, path } = snippet(client, { command }, machine);
  const { servers, notices } = await load(text);
  expect(notices).toEqual([]);
  expect(servers).toMatchObject([
    { name: "toolglot", transport: { type: "stdio", command: "npx", args: command.slice(1) } },
  ]);
  expect(path).toMatch(/^\/[hp]\//);
});

it.each(clients)("should reach a gateway from %s, with the token that is given", async (client) => {
  const { text } = snippet(client, { url, token: "tg1_a_b" }, { ...machine, name: "mine" });
  const env = { TOOLGLOT_TOKEN: "Bearer tg1_a_b" };
  const [server] = (await load(text, { env })).servers;
  expect(server?.name).toBe("mine");
  if (client === "claude") expect(server?.transport).toMatchObject({ args: expect.arrayContaining([url]), env });
  else expect(server?.transport).toMatchObject({ url, headers: { Authorization: "Bearer tg1_a_b" } });
});

it.each(clients)("should leave a place for the token in the entry of %s when none is given", (client) => {
  const { text, notes } = snippet(client, { url }, machine);
  expect(text).toMatch(/TOOLGLOT_TOKEN|\$\{input:toolglot-token\}/);
  expect(notes.length).toBeGreaterThan(1);
});

it("should refuse a client that it doesn't know", () => {
  expect(() => snippet("emacs" as never, { url })).toThrow(/one of claude, claude-code, cursor, vscode/);
});
