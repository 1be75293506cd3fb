import { statSync } from "node:fs";
import { scratchFolder } from "@toolglot/internal/testing/scratch";
import { expect, it } from "vitest";
import { clientFiles } from "../../src/config/client-files.ts";
import { initConfig } from "../../src/config/init.ts";
import { loadConfig } from "../../src/config/load-config.ts";

const json = (value: unknown) => JSON.stringify(value);

it("should write one file with the servers of all clients on this machine, which loads without a mistake", async () => {
  const gateway = { command: "npx", args: ["-y", "toolglot", "gateway", "--stdio"] };
  const shop = { command: "npx", args: ["-y", "shop"], env: { KEY: "top-secret-1" } };
  const { path, at } = await scratchFolder({
    "home/.config/Claude/claude_desktop_config.json": json({ mcpServers: { shop, toolglot: gateway }, theme: "dark" }),
    "home/.claude.json": json({
      numStartups: 2,
      mcpServers: { shop },
      projects: { "/elsewhere": { mcpServers: { no: shop } } },
    }),
    "home/.cursor/mcp.json": json({
      mcpServers: {
        shop: { ...shop, args: ["other"], autoApprove: ["get_order"] },
        web: { url: "https://w.example/mcp" },
      },
    }),
    "home/.config/Code/User/mcp.json":
      '{ // mine\n "servers": { "code": { "type": "stdio", "command": "${input:cmd}" } }, "inputs": [{ "id": "cmd", "description": "which" }], }',
    "home/.codeium/windsurf/mcp_config.json": "{ broken",
    "home/.codex/config.toml": '[mcp_servers.told]\nurl = "https://t.example/mcp"\nbearer_token_env_var = "TOKEN"\n',
    "project/.mcp.json": json({ mcpServers: { ours: { command: "./ours", disabled: true } } }),
    "project/.cursor/mcp.json": json({ mcpServers: {} }),
  });
  const machine = { home: at("home"), env: {}, platform: "linux" as const };
  const { file, text, servers, read, problems } = await initConfig({ file: at("project/toolglot.json"), ...machine });
  expect(servers).toEqual([
    { name: "shop", from: at("home/.config/Claude/claude_desktop_config.json"), client: "claude", isDisabled: false },
    { name: "shop-cursor", from: at("home/.cursor/mcp.json"), client: "cursor", isDisabled: false },
    { name: "web", from: at("home/.cursor/mcp.json"), client: "cursor", isDisabled: false },
    { name: "code", from: at("home/.config/Code/User/mcp.json"), client: "vscode", isDisabled: false },
    { name: "told", from: at("home/.codex/config.toml"), client: "codex", isDisabled: false },
    { name: "ours", from: at("project/.mcp.json"), client: "claude-code", isDisabled: true },
  ]);
  expect(read).toHaveLength(7);
  expect(problems).toMatchObject([
    { file: at("home/.codeium/windsurf/mcp_config.json"), severity: "notice", code: "config/syntax" },
  ]);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(text).toContain(
    '// {"id":"shop-cursor-unasked","decision":"allow","which":{"families":["cap.mcp.shop-cursor.get_order"]}},',
  );
  const config = await loadConfig({
    files: [file],
    ...machine,
    env: { TOOLGLOT_INPUT_CMD: "code-server", TOKEN: "t" },
  });
  expect(config.notices).toEqual([]);
  expect(config.servers.map(({ name }) => name)).toEqual(["shop", "shop-cursor", "web", "code", "told"]);
  expect(config.servers[0]?.transport).toMatchObject({ ...shop, cwd: `${path}/project` });
  expect(config.disabled).toEqual(["ours"]);
});

it("should never overwrite a file, and write one without servers when no client has any", async () => {
  const { at, read } = await scratchFolder({ "toolglot.json": "mine" });
  const machine = { home: at("home"), env: {}, platform: "linux" as const };
  await expect(initConfig({ file: at("toolglot.json"), ...machine })).rejects.toMatchObject({
    code: "gateway/config-exists",
  });
  expect(await read("toolglot.json")).toBe("mine");
  await expect(initConfig({ file: at("no/such/folder/t.json"), ...machine })).rejects.toMatchObject({
    code: "gateway/config-unwritable",
  });
  const { servers, file } = await initConfig({ file: at("new.json"), ...machine });
  expect(servers).toEqual([]);
  expect((await loadConfig({ files: [file], ...machine })).notices).toEqual([]);
});

it("should know where clients have their files on each system", () => {
  const on = (platform: NodeJS.Platform, env = {}) =>
    clientFiles({ home: "/h", env, platform }, "/p").map(({ path }) => path.replaceAll("\\", "/"));
  expect(on("darwin").slice(0, 5)).toEqual([
    "/h/Library/Application Support/Claude/claude_desktop_config.json",
    "/h/.claude.json",
    "/h/.cursor/mcp.json",
    "/h/Library/Application Support/Code/User/mcp.json",
    "/h/.codeium/windsurf/mcp_config.json",
  ]);
  expect(on("win32", { APPDATA: "/roaming" })[0]).toBe("/roaming/Claude/claude_desktop_config.json");
  expect(on("linux")[3]).toBe("/h/.config/Code/User/mcp.json");
  expect(on("darwin", { CODEX_HOME: "/c" }).slice(5, -3)).toEqual([
    "/c/config.toml",
    "/h/.copilot/mcp-config.json",
    "/h/.gemini/settings.json",
    "/h/.lmstudio/mcp.json",
    "/h/.config/opencode/opencode.json",
    "/h/.config/zed/settings.json",
  ]);
  expect(on("linux").slice(-3)).toEqual(["/p/.mcp.json", "/p/.cursor/mcp.json", "/p/.vscode/mcp.json"]);
});
