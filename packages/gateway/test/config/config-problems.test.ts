import { chmod } from "node:fs/promises";
import { scratchFolder } from "@toolglot/internal/testing/scratch";
import { slug } from "@toolglot/trp-mcp";
import { expect, it } from "vitest";
import type { ConfigProblem } from "../../src/config/problem.ts";
import { errorsOf, load, problemsOf, withSettings } from "./rig.ts";

it("should tell all mistakes at once, with file, line, column and cure", async () => {
  const text = `{
  "mcpServers": { "shop": { "comand": "x" } },
  "gateway": {
    "polcy": {},
    "listen": { "port": "80" },
  },
}`;
  const error = await load(text).catch((thrown: Error) => thrown);
  expect((error as Error).message).toBe(
    [
      't.json:2:27  error  mcpServers.shop: needs "command" or "url"',
      '  cure: Write { "command": "npx", "args": ["…"] } for a program, { "url": "https://…" } for a server on the net.',
      "t.json:2:29  notice  mcpServers.shop.comand: is passed over: the gateway has no such key",
      '  cure: Write "command", if that is meant.',
      't.json:4:5  error  gateway.polcy: unknown key (did you mean "policy"?)',
      '  cure: Write "policy".',
      "t.json:5:25  error  gateway.listen.port: must be a whole number from 0 to 65535, not text",
      "  cure: Write a whole number from 0 to 65535, or leave it out for the default, 8765.",
    ].join("\n"),
  );
});

it.each<[string, RegExp]>([
  ["", /^: is not JSON/],
  ["{", /^: is not JSON/],
  ['{ "mcpServers": { } } x', /^: is not JSON/],
  ["[1]", /^: must be an object/],
  ["[".repeat(10_000), /^: nested more than 100 levels/],
  ['{ "mcpServer": {} }', /^: has no "mcpServers" \(did you mean "mcpServers"\?\)/],
  ['{ "mcpServers": [] }', /^mcpServers: must be an object/],
  ['{ "mcpServers": { "a": 1 } }', /^mcpServers\.a: must be an object with a command or a url, not a number/],
  ['{ "mcpServers": { "a": {} } }', /needs "command" or "url"/],
  ['{ "mcpServers": { "a": { "command": "x", "url": "https://x.example" } } }', /has a command and a url/],
  ['{ "mcpServers": { "a": { "type": "http", "command": "x" } } }', /needs "url"/],
  ['{ "mcpServers": { "a": { "type": "grpc", "command": "x" } } }', /type: must be "stdio"/],
  ['{ "mcpServers": { "a": { "url": "ftp://x.example" } } }', /url: must be an http or https URL/],
  ['{ "mcpServers": { "a": { "url": "https://me:secret@x.example" } } }', /url: has a user or a password in it/],
  ['{ "mcpServers": { "a": { "url": "https://x.example", "headers": { "a b": "c" } } } }', /is no header/],
  ['{ "mcpServers": { "a": { "command": "x", "args": [1] } } }', /args\[0\]: must be text, not a number/],
  ['{ "mcpServers": { "a": { "command": "x", "env": { "A=B": "c" } } } }', /is no name, or no value/],
  ['{ "mcpServers": { "a": { "command": "x", "envFile": "no.env" } } }', /envFile: the file is not there/],
  [
    '{ "mcpServers": { "a": { "command": "npx -y x" } } }',
    /^mcpServers\.a\.command: holds a program and its arguments/,
  ],
  ['{ "mcpServers": {}, "gatway": {} }', /^gatway: unknown key \(did you mean "gateway"\?\)/],
  ...["policy", "approvals", "auth", "mode", "audit"].map((key): [string, RegExp] => [
    `{ "mcpServers": {}, "${key}": {} }`,
    new RegExp(`^${key}: belongs under "gateway"`),
  ]),
  ['{ "mcpServers": { "a": { "command": "${a" } } }', /has a \$\{ without its }/],
  [
    '{ "mcpServers": { "a": { "command": "${workspaceFoldr}" } } }',
    /workspaceFoldr is not set \(did you mean "\$\{workspaceFolder}"\?\)/,
  ],
  ['{ "mcpServers": { "a": { "command": "${command:x}" } } }', /has a place that is none of those/],
  ['{ "mcpServers": { "a": { "command": "${file:no}" } } }', /\$\{file:no}: the file is not there/],
  ['{ "mcpServers": { "a": { "command": "${input:x}" } } }', /the variable TOOLGLOT_INPUT_X is not set/],
  ['{ "mcpServers": { "a": { "command": "x" }, "a": { "command": "y" } } }', /^mcpServers\.a: is there twice/],
  ['{ "mcpServers": { "a": { "command": "x" } }, "servers": { "a": { "command": "x" } } }', /is in mcpServers, too/],
  ['{ "mcpServers": { "__proto__": { "command": "x" } } }', /is no name for a server/],
])("should say what is wrong with %s", async (text, message) => {
  const errors = await errorsOf(text);
  expect(errors).toHaveLength(1);
  expect(errors[0]).toMatch(message);
});

it.each<[object, RegExp]>([
  [{ face: "serch" }, /face: must be "tools", .* \(did you mean "search"\?\)/],
  [{ listen: { host: "127.0.0.1:80" } }, /listen\.host: must be a host without port/],
  [{ listen: { host: "http://x" } }, /listen\.host/],
  [{ listen: { path: "mcp" } }, /listen\.path: must be a path/],
  [{ listen: { allowedOrigins: ["app.example.com"] } }, /allowedOrigins\[0\]: must be an origin/],
  [{ store: "mysql://x" }, /store: must be "memory"/],
  [{ approvals: { waitMs: 1.5 } }, /waitMs: must be a whole number/],
  [{ approvals: { waitMs: 2 ** 40 } }, /waitMs: must be a whole number from 0 to 2147483647/],
  [{ repeat: "fre" }, /repeat: must be "window", "in-doubt" or "free" \(did you mean "free"\?\)/],
  [{ repeat: { mode: "fre" } }, /repeat\.mode: must be/],
  [{ repeat: { windowMs: 0 } }, /repeat\.windowMs: must be/],
  [{ repeat: { window: 1 } }, /repeat\.window: unknown key \(did you mean "windowMs"\?\)/],
  [{ approvals: { via: [] } }, /approvals\.via: must be a list of/],
  [{ approvals: { webhook: { url: "http://hooks.example", secret: "x" } } }, /webhook\.url: must be an https URL/],
  [{ approvals: { webhook: { url: "https://hooks.example" } } }, /webhook: needs "secret"/],
  [{ auth: { jwt: { issuer: "a", audience: "b", jwks: "http://x.example" } } }, /jwks: must be an https URL/],
  [{ servers: { shpo: {} } }, /servers\.shpo: there is no such server \(did you mean "shop"\?\)/],
  [{ servers: { shop: { credentials: "caller" } } }, /credentials: is for servers with a url/],
  [{ servers: { shop: { tools: { "": {} } } } }, /must be a glob/],
  [{ servers: { shop: { tools: { x: { effect: "keyed" } } } } }, /needs "downstreamKeyIn"/],
  [{ servers: { shop: { tools: { x: { effect: "probe" } } } } }, /needs "probe"/],
  [{ servers: { shop: { tools: { x: { effectKey: "a{" } } } } }, /effectKey: must be text with the names/],
  [{ servers: { shop: { tools: { x: { downstreamKeyIn: "key" } } } } }, /downstreamKeyIn: must be a JSON pointer/],
  [
    { servers: { shop: { tools: { x: { probe: { tool: "a", arguments: {}, found: "/a" }, effect: "opaque" } } } } },
    /probe: is/,
  ],
  [{ servers: { shop: { tools: { x: { probe: { tool: "a", arguments: [], found: "/a" } } } } } }, /must be an object/],
  [
    { servers: { shop: { tools: { x: { io: "READ", risk: "LOW", effect: "opaque" } } } } },
    /can't be a READ of LOW risk/,
  ],
  [{ servers: { shop: { tools: { constructor: { hidden: true } } } } }, /is a name that can't be used here/],
  [{ metrics: { open: true }, listen: { host: "0.0.0.0" } }, /metrics\.open: is for loopback only/],
  [{ results: { maxBytes: 10 } }, /keepBytes: is more than maxBytes/],
  [{ policy: 3 }, /policy: must be an object with version and rules, not a number/],
  [{ policy: { rules: [] } }, /policy: needs "version"/],
  [{ policy: { version: "1" } }, /policy: needs "rules"/],
  [
    { policy: { version: "1", rules: [{ id: "a", decision: "deny", via: "page" }] } },
    /rules\[0\]\.via: must be "page", in a rule that approves/,
  ],
  [{ policy: { version: "1", rules: [], fallbck: "deny" } }, /fallbck: unknown key \(did you mean "fallback"\?\)/],
  [{ policy: "no.json" }, /policy: the file is not there/],
])("should say what is wrong with the settings %j", async (settings, message) => {
  const errors = await errorsOf(withSettings(settings));
  expect(errors).toHaveLength(1);
  expect(errors[0]).toMatch(message);
});

it("should refuse effects that must not happen twice on a store that forgets, unless they may", async () => {
  const settings = withSettings({ store: "memory", servers: { shop: { tools: { x: { effect: "opaque" } } } } });
  expect(await errorsOf(settings)).toEqual([
    'gateway.servers.shop.tools.x.effect: can\'t be "opaque" with the store "memory", which forgets what was done',
  ]);
  expect(await errorsOf(settings, { allowVolatile: true })).toEqual([]);
});

it("should say where a rule is wrong, also in a file of rules, all at once", async () => {
  const rules = `{
  "version": "1",
  "rules": [
    { "id": "a", "decision": "deny" },
    { "id": "b", "decision": "allow", "args": [{ "at": "/x" }] },
    { "id": "c", "decision": "deny",
      "which": { "riskTiers": ["LOW", "hgih"], "famlies": [] } },
    { "id": "a", "decision": "deny" },
  ],
}`;
  const { path } = await scratchFolder({ "rules.json": rules });
  const text = JSON.stringify(withSettings({ policy: "rules.json" }));
  const problems = await problemsOf("", { files: [{ name: "t.json", text, folder: path }] });
  expect(problems.map(({ file, line, column, path: at }) => [file, line, column, at])).toEqual([
    [`${path}/rules.json`, 5, 48, "rules[1].args[0]"],
    [`${path}/rules.json`, 7, 39, "rules[2].which.riskTiers[1]"],
    [`${path}/rules.json`, 7, 48, "rules[2].which.famlies"],
    [`${path}/rules.json`, 8, 13, "rules[3].id"],
  ]);
  const inline = await problemsOf(`{ "gateway": { "policy": ${rules} } }`);
  expect(inline.map(({ path: at }) => at)).toContain("gateway.policy.rules[2].which.famlies");
});

it("should tell two servers apart that would have one name in cap_ids", async () => {
  const mcpServers = { Shop: { command: "x" }, [slug("Shop")]: { command: "y" } };
  expect(await errorsOf({ mcpServers })).toEqual([
    `mcpServers.${slug("Shop")}: has the same name in cap_ids as "Shop"`,
  ]);
});

it("should tell very many mistakes in a large file without delay", async () => {
  const keys = Array.from({ length: 20_000 }, (_, index) => `"k${index % 10_000}": 1,`);
  const problems = await problemsOf(`{ "gateway": {\n${keys.join("\n")}\n} }`);
  expect(problems.length).toBeGreaterThan(20_000);
  expect(problems.at(-1)?.line).toBe(20_001);
});

it("should say of flags that they come from the command line", async () => {
  const [problem] = await problemsOf({ mcpServers: {} }, { flags: { face: "serch" } });
  expect(problem).toMatchObject({ file: "command line", line: 1, path: "gateway.face" });
});

it("should say of a file that is not there where one comes from", async () => {
  const [problem] = await problemsOf("", { files: ["/no/such.json"] });
  expect(problem).toMatchObject({ file: "/no/such.json", line: 1, column: 1, code: "config/file" });
  expect(problem?.cure).toContain("gateway init");
});

it("should say where the folder or the program of a server is missing, before anything is started", async () => {
  const { path } = await scratchFolder({ "bin/tool": "", file: "" });
  await chmod(`${path}/bin/tool`, 0o755);
  const problems = (servers: object) =>
    load("", {
      files: [{ name: "f", text: JSON.stringify({ mcpServers: servers }), folder: path }],
      env: { PATH: `${path}/bin` },
    })
      .then(({ notices }) => notices)
      .catch(({ data }) => data.problems as ConfigProblem[])
      .then((all) => all.map((one) => `${one.line}:${one.column} ${one.severity} ${one.path}: ${one.message}`));
  expect(await problems({ a: { command: "tool", cwd: "nowhere" }, b: { command: "tool", cwd: "file" } })).toEqual([
    "1:44 error mcpServers.a.cwd: the folder is not there",
    "1:83 error mcpServers.b.cwd: the folder is no folder",
  ]);
  expect(
    await problems({
      a: { command: "tool" },
      b: { command: "./tool", cwd: "bin" },
      c: { command: "tol" },
      d: { command: "./tool" },
      e: { command: "tool", env: { PATH: "/nowhere" } },
      f: { command: "./file" },
      g: { command: "nothing", cwd: "nowhere", disabled: true },
    }),
  ).toEqual([
    "1:91 notice mcpServers.c.command: the program is not in the PATH",
    "1:113 notice mcpServers.d.command: the program is no program that can be started",
    "1:138 notice mcpServers.e.command: the program is not in the PATH",
    "1:187 notice mcpServers.f.command: the program is no program that can be started",
  ]);
});

it("should say where the tools of a client's file were fewer, and take no setting of the gateway for a client's key", async () => {
  const entry = { command: "x", includeTools: ["a"], enabled_tools: ["b"], tools: ["*"], timeout: 5, gallery: true };
  const told = (await problemsOf({ mcpServers: { w: { ...entry, deny: ["rm*"], pin: "strict", repeat: 3 } } })).filter(
    ({ code }) => code === "config/unknown-key",
  );
  expect(told.map(({ severity, path, cure }) => `${severity} ${path.slice(13)}: ${cure}`)).toEqual([
    'notice includeTools: Write "gateway": { "servers": { "w": { "allow": ["a"] } } }.',
    'notice enabled_tools: Write "gateway": { "servers": { "w": { "allow": ["b"] } } }.',
    'notice timeout: Write "gateway": { "servers": { "w": { "timeoutMs": … } } }.',
    "notice gallery: Nothing, if it is the client's own.",
    'error deny: Write "gateway": { "servers": { "w": { "deny": … } } }.',
    'error pin: Write "gateway": { "servers": { "w": { "pin": … } } }.',
    'notice repeat: Write "gateway": { "servers": { "w": { "repeat": … } } }.',
  ]);
});

it("should say where a file has what looks like servers, and is not called so", async () => {
  const file = { theme: "dark", tasks: { build: { command: "make" } } };
  expect(await errorsOf(file)).toEqual(['tasks: holds servers, and is not "mcpServers"']);
});
