import { scratchFolder } from "@toolglot/internal/testing/scratch";
import { expect, it } from "vitest";
import { loadConfig } from "../../src/config/load-config.ts";
import { errorsOf, load, problemsOf, withSettings } from "./rig.ts";

it("should take JSON with comments, trailing commas and a byte order mark", async () => {
  const { servers } = await load(
    '\uFEFF// mine\n{ "mcpServers": { "shop": { "command": "node", "args": ["a",], }, }, }',
  );
  expect(servers).toMatchObject([{ name: "shop", transport: { type: "stdio", command: "node", args: ["a"] } }]);
});

it("should fill in every default", async () => {
  const { settings, policy, stateDir } = await load({ mcpServers: { shop: { command: "shop" } } });
  expect(settings).toMatchObject({
    listen: { host: "127.0.0.1", port: 8765, path: "/mcp" },
    store: "sqlite:/state/gateway.db",
    tokens: "/state/tokens.json",
    face: "auto",
    taskAfterMs: 10_000,
    repeat: { mode: "window", windowMs: 600_000 },
    approvals: { via: ["elicitation", "page"], waitMs: 45_000, ttlMs: 900_000 },
  });
  expect(policy.version).toBe("default-1");
  expect(stateDir).toBe("/state");
  const overStdio = await load({ mcpServers: {} }, { stdio: true });
  expect(overStdio.settings.listen.port).toBe(0);
});

it.each([
  [
    "Claude Desktop",
    { mcpServers: { a: { command: "/opt/my tools/x", args: ["-y"] } }, globalShortcut: "", theme: "" },
  ],
  [
    "Claude Code",
    { numStartups: 3, mcpServers: { a: { type: "stdio", command: "npx", args: [], env: {} } }, projects: {} },
  ],
  ["Cursor", { mcpServers: { a: { url: "https://a.example/mcp", headers: { "X-Key": "12345678" } } } }],
  ["VS Code", { inputs: [], servers: { a: { type: "http", url: "https://a.example/mcp" } } }],
  ["Windsurf", { mcpServers: { a: { serverUrl: "https://a.example/sse", disabled: false } } }],
  ["Gemini CLI", { mcpServers: { a: { httpUrl: "https://a.example/mcp", timeout: 5000 } } }],
  ["Copilot CLI", { mcpServers: { a: { type: "local", command: "npx", args: [], tools: ["*"] } } }],
  ["LibreChat", { mcpServers: { a: { transport: "sse", url: "https://a.example/sse" } } }],
  [
    "Claude Code, with a login",
    { mcpServers: { a: { type: "http", url: "https://a.example/", oauth: { clientId: "x" } } } },
  ],
  ["Roo", { mcpServers: { a: { type: "remote", url: "https://a.example/mcp" } } }],
  ["Cline", { mcpServers: { a: { type: "streamableHttp", url: "https://a.example/mcp", timeout: 60 } } }],
])("should take the file of %s as it is", async (_, file) => {
  const { servers, notices } = await load(file);
  expect(servers.map(({ name }) => name)).toEqual(["a"]);
  expect(notices.filter(({ code }) => code === "config/unknown-key").length).toBeLessThanOrEqual(1);
});

it("should pass over unknown keys of a client's file with one notice, and refuse them beside `gateway`", async () => {
  const { notices } = await load({ mcpServers: {}, theme: "dark", shortcut: "x" });
  expect(notices.map(({ message }) => message)).toEqual(["passed over: theme, shortcut"]);
  expect(await errorsOf({ mcpServrs: {}, gateway: {} })).toEqual([
    'mcpServrs: unknown key (did you mean "mcpServers"?)',
  ]);
});

it("should fill texts from variables, files, inputs and folders", async () => {
  const { path } = await scratchFolder({ "key.txt": "  from-a-file\n", ".env": 'A="of the file"\nB=2\n', "sub/x": "" });
  const env = { TOKEN: "tok-en", EMPTY: "", TOOLGLOT_INPUT_API_KEY: "asked-for" };
  const args = [
    "${TOKEN}",
    "${env:TOKEN}-${NO:-other}",
    "${EMPTY:-other}",
    "${EMPTY}",
    "$${TOKEN} $HOME {x}",
    "${file:key.txt}",
    "${input:api-key}",
    "${input:region}",
    "${workspaceFolder}/a",
    "${userHome}",
  ];
  const file = {
    servers: { a: { command: "x", args, envFile: ".env", env: { B: "${TOKEN}" }, cwd: "sub" } },
    inputs: [{ id: "region", type: "pickString", default: "eu" }],
  };
  const text = JSON.stringify(file);
  const { servers, secrets } = await load("", { files: [{ name: "f", text, folder: path }], env });
  expect(servers[0]?.transport).toEqual({
    type: "stdio",
    command: "x",
    args: [
      ...["tok-en", "tok-en-other", "other", "", "${TOKEN} $HOME {x}", "from-a-file", "asked-for", "eu"],
      ...[`${path}/a`, "/home/ada"],
    ],
    env: { A: "of the file", B: "tok-en" },
    cwd: `${path}/sub`,
  });
  expect(secrets).toEqual([
    { name: "TOKEN", value: "tok-en" },
    { name: "file:key.txt", value: "from-a-file" },
    { name: "input:api-key", value: "asked-for" },
    { name: "A", value: "of the file" },
  ]);
});

it("should name the variable and the server when one is not set, and read nothing of a disabled server", async () => {
  const server = { command: "x", env: { KEY: "${MISSING}" } };
  const [problem, ...others] = await problemsOf({ mcpServers: { a: server, b: { ...server, disabled: true } } });
  expect(problem).toMatchObject({
    code: "config/unset",
    path: "mcpServers.a.env.KEY",
    message: "${MISSING}: the variable MISSING is not set",
    line: 6,
  });
  expect(others).toEqual([]);
  const { disabled, servers } = await load({ mcpServers: { b: { ...server, disabled: true } } });
  expect({ disabled, servers }).toEqual({ disabled: ["b"], servers: [] });
});

it("should not take over what clients let run unasked, and say the rule to write instead", async () => {
  const approving = { autoApprove: ["get_order"], alwaysAllow: true, trust: true };
  const { notices } = await load({ mcpServers: { shop: { command: "x", ...approving, other: 1, autoAllow: [] } } });
  expect(notices.map(({ path, message }) => `${path} ${message}`)).toEqual([
    "mcpServers.shop.autoApprove is not taken over: here rules decide what runs unasked",
    "mcpServers.shop.alwaysAllow is not taken over: here rules decide what runs unasked",
    "mcpServers.shop.trust is not taken over: here rules decide what runs unasked",
    "mcpServers.shop.other is passed over: the gateway has no such key",
  ]);
  const rules = notices
    .map(({ cure }) => /write the rule (\{.*\}) in/.exec(cure)?.[1])
    .filter((rule) => rule !== undefined);
  expect(rules).toHaveLength(3);
  for (const rule of rules) {
    const gateway = { policy: { version: "1", rules: [JSON.parse(rule)], fallback: "deny" } };
    const { policy } = await load(withSettings(gateway));
    const capability = { capId: "cap.mcp.shop.get_order.v1", family: "cap.mcp.shop.get_order" };
    const input = {
      principal: { id: "a", tenant: "t", roles: [], canDelete: false },
      args: {},
      now: 0,
      phase: "start",
    };
    const about = { ...capability, riskTier: "HIGH", ioClass: "WRITE", effect: "opaque" };
    expect(await policy.evaluate({ ...input, capability: about } as never)).toMatchObject({ decision: "allow" });
  }
});

it("should put several files together: later servers win as a whole, settings one by one", async () => {
  const first = withSettings(
    { listen: { port: 1 }, servers: { a: { timeoutMs: 5 } }, limits: { sessions: 7 } },
    { a: { command: "old", env: { X: "1" } }, b: { command: "b" } },
  );
  const second = withSettings(
    { listen: { host: "::1" }, servers: { a: { pin: "off" } } },
    { a: { url: "https://a.example" } },
  );
  const files = [first, second].map((file, index) => ({
    name: `${index}`,
    text: JSON.stringify(file),
    folder: "/work",
  }));
  const { servers, settings } = await load("", { files, flags: { listen: { port: 3 } } });
  expect(servers.map(({ name, transport }) => [name, transport.type])).toEqual([
    ["a", "http"],
    ["b", "stdio"],
  ]);
  expect(servers[0]?.settings).toMatchObject({ timeoutMs: 5, pin: "off" });
  expect(settings.listen).toMatchObject({ host: "::1", port: 3 });
  expect(settings.limits.sessions).toBe(7);
});

it("should read paths relative to their file", async () => {
  const { path } = await scratchFolder({
    "conf/t.json": JSON.stringify(
      withSettings({ store: "sqlite:x.db", tokens: "../t.json", audit: { head: "~/head" }, policy: "rules.json" }),
    ),
    "conf/rules.json": '// rules\n{ "version": "7", "rules": [] }',
    "p/.vscode/mcp.json": '{ "servers": { "a": { "command": "${workspaceFolder}/a" } } }',
  });
  const { settings, policy, files } = await loadConfig({ files: [`${path}/conf/t.json`], home: "/home/ada", env: {} });
  expect(settings).toMatchObject({
    store: `sqlite:${path}/conf/x.db`,
    tokens: `${path}/t.json`,
    audit: { head: "/home/ada/head" },
    policy: { version: "7", rules: [] },
  });
  expect(policy.version).toBe("7");
  expect(files).toEqual([`${path}/conf/t.json`, `${path}/conf/rules.json`]);
  const editor = await loadConfig({ files: [`${path}/p/.vscode/mcp.json`], home: "/home/ada", env: {} });
  expect(editor.servers[0]?.transport).toMatchObject({ command: `${path}/p/a`, cwd: `${path}/p` });
});

it("should give a transport as it is meant", async () => {
  const url = "https://a.example/mcp";
  const kinds = ["http", "streamable-http", "streamableHttp", "sse", undefined];
  const mcpServers = Object.fromEntries(kinds.map((type, index) => [`s${index}`, { url, ...(type && { type }) }]));
  const { servers } = await load({ mcpServers });
  const fallbacks = servers.map(({ transport }) => transport.type === "http" && transport.fallback);
  expect(fallbacks).toEqual([false, false, false, true, true]);
});

it("should list the secrets of settings", async () => {
  const { secrets } = await load(
    withSettings(
      {
        store: "postgres://u:p%40ssword@db.example/x",
        approvals: { webhook: { url: "https://h.example", secret: "${HOOK}" } },
        servers: { web: { oauth: { clientSecret: "client-secret" } } },
      },
      { web: { url: "https://w.example", headers: { Authorization: "Bearer abcdef", Accept: "text/plain" } } },
    ),
    { env: { HOOK: "hook-key", HOME: "/home/ada" } },
  );
  expect(secrets.map(({ value }) => value).toSorted()).toEqual(
    ["Bearer abcdef", "client-secret", "hook-key", "p%40ssword", "p@ssword"].toSorted(),
  );
});

it("should not call secret what everybody may see: folders, headers of every request, variables of every process", async () => {
  const env = { HOME: "/home/ada", LANG: "C.UTF-8" };
  const shop = {
    command: "x",
    args: ["${HOME}"],
    env: { ROOT: "${workspaceFolder}/a", LANG: "${LANG}", H: "${userHome}" },
  };
  const web = { url: "https://w.example", headers: { "Content-Type": "application/json" } };
  expect((await load({ mcpServers: { shop, web } }, { env })).secrets).toEqual([]);
});

it("should refuse options of its own that can't be meant", async () => {
  await expect(loadConfig({ file: "x" } as never)).rejects.toThrow(TypeError);
});
