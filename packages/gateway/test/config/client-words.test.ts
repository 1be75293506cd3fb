import { expect, it } from "vitest";
import { loadConfig } from "../../src/config/load-config.ts";
import { findNode } from "../../src/config/source.ts";
import { tomlTree } from "../../src/config/toml-tree.ts";
import { load } from "./rig.ts";

const codex = `# Codex
model = "o9"

[mcp_servers.shop]
command = "node"
args = ["shop.js", "=", """
# no comment"""]
env_vars = ["KEY"]
env = { "A.B" = 'a' }

[mcp_servers."the web"]
url = "https://w.example/mcp"
bearer_token_env_var = "TOKEN"
http_headers = { X-Plain = "1" }
env_http_headers = { X-Key = "KEY" }
startup_timeout_sec = 5
`;
const fromCodex = (text: string, env: Record<string, string>) =>
  loadConfig({ files: [{ name: "config.toml", text }], home: "/h", stateDir: "/state", env });

it("should take the TOML of Codex, with variables by name", async () => {
  const { servers, notices, secrets } = await fromCodex(codex, {
    PATH: process.env.PATH ?? "",
    KEY: "key-123",
    TOKEN: "token-1",
  });
  expect(servers).toMatchObject([
    {
      name: "shop",
      transport: {
        type: "stdio",
        command: "node",
        args: ["shop.js", "=", "# no comment"],
        env: { KEY: "key-123", "A.B": "a" },
      },
    },
    {
      name: "the web",
      transport: {
        url: "https://w.example/mcp",
        headers: { "X-Plain": "1", "X-Key": "key-123", Authorization: "Bearer token-1" },
      },
    },
  ]);
  expect(notices.map(({ line, column, message }) => [line, column, message])).toEqual([
    [2, 1, "passed over: model"],
    [16, 1, "is passed over: the gateway has no such key"],
  ]);
  expect(secrets.map(({ value }) => value)).toEqual(expect.arrayContaining(["key-123", "token-1"]));
});

it.each([
  ['[mcp_servers.a]\ncommand = "x\n', "2:13 config/syntax: is not TOML: control characters are not allowed in strings"],
  [
    "[mcp_servers.a]\n\n  command = 3\n",
    "3:13 config/type mcpServers.a.command: must be text that is not empty, not a number",
  ],
  [
    'mcp_servers.a.command = "node"\nmcp_servers.a.env_vars = ["NOT_SET"]',
    "2:26 config/unset mcpServers.a.env.NOT_SET: ${NOT_SET}: the variable NOT_SET is not set",
  ],
  ["[mcp_servers]\na = 1", "2:5 config/type mcpServers.a: must be an object with a command or a url, not a number"],
  ["", '1:1 config/value: has no "mcpServers"'],
  [`${"a.".repeat(101)}b = 1`, "1:1 config/syntax: nested more than 100 levels deep"],
])("should say where a mistake of a TOML file is: %j", async (text, told) => {
  const { data } = await fromCodex(text, { PATH: process.env.PATH ?? "" }).then(
    () => ({ data: { problems: [] } }),
    (error) => error,
  );
  expect(
    data.problems.map(
      ({ line, column, code, path, message }: Record<string, string>) =>
        `${line}:${column} ${code}${path && ` ${path}`}: ${message}`,
    ),
  ).toEqual([told]);
});

it.each([
  ["Zed", { context_servers: { a: { source: "custom", command: "node", args: ["x"] } }, theme: "dark" }],
  ["Zed, before", { context_servers: { a: { command: { path: "node", args: ["x"] }, settings: {} } } }],
  [
    "VS Code's settings",
    { "editor.fontSize": 12, mcp: { inputs: [], servers: { a: { command: "node", args: ["x"] } } } },
  ],
  ["opencode", { mcp: { a: { type: "local", command: ["node", "x"], environment: {}, enabled: true } } }],
  ["Amp", { "amp.mcpServers": { a: { command: "node", args: ["x"] } } }],
])("should take the servers of %s", async (_, file) => {
  const { servers } = await load(file);
  expect(servers).toMatchObject([{ name: "a", transport: { type: "stdio", command: "node", args: ["x"], env: {} } }]);
});

it("should find every key of a TOML text where it stands", () => {
  const text = `a.b = 1 # "
'x = y'.z = [ { k = 2 }, # ]
  3 ]
[t."q\\"r"] # [no]
v = { w = 'x' }\r
[[l]]
n = 1
[[l]]
n = """"two""""
`;
  const root = tomlTree(text, 100);
  const at = (...path: (string | number)[]) => text.slice(findNode(root, path)?.offset).split("\n", 1)[0];
  expect(at("a", "b")).toBe('1 # "');
  expect(at("x = y", "z", 1)).toBe("[ { k = 2 }, # ]");
  expect(at("t", 'q"r', "v", "w")).toBe("{ w = 'x' }\r");
  expect([at("l", 0, "n"), at("l", 1, "n"), at("l", 1)]).toEqual(["1", '""""two""""', "[[l]]"]);
});

it("should fill opencode's places", async () => {
  const file = {
    mcp: { a: { type: "remote", url: "https://a.example", headers: { Authorization: "Bearer {env:TOKEN}" } } },
  };
  const { servers } = await load(file, { env: { TOKEN: "token-1" } });
  expect(servers[0]?.transport).toMatchObject({ headers: { Authorization: "Bearer token-1" } });
});
