import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { localProvider, openAiCall, openAiFinish, openAiText, sse } from "@toolglot/internal/testing/providers";
import { afterAll, beforeEach, expect, it } from "vitest";
import { loadConfig } from "../src/config/load-config.ts";
import { priceOf, resolveModel } from "../src/models/resolve-model.ts";
import type { Ended } from "./support/child.ts";
import { runCli, runDemo } from "./support/in-process.ts";

const root = mkdtempSync(join(tmpdir(), "demo-config-"));
const folder = join(root, "work");
const env = { INIT_CWD: folder, XDG_CONFIG_HOME: join(root, "config") };
const at = { env, folder };
const own = join(root, "config/toolglot/config.json");

beforeEach(() => {
  rmSync(join(root, "config"), { recursive: true, force: true });
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(dirname(own), { recursive: true });
  mkdirSync(folder);
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

const write = (path: string, value: unknown): void =>
  writeFileSync(path, typeof value === "string" ? value : JSON.stringify(value));
const demo = (...args: string[]): Promise<Ended> => runCli([...args, "--data-dir", join(root, "data")], { env });
const shown = async (...flags: string[]): Promise<Record<string, { value: unknown; source: string }>> => {
  const { settings } = JSON.parse((await runCli(["config", "--json", ...flags], { env })).stdout) as {
    settings: { name: string; value: unknown; source: string }[];
  };
  return Object.fromEntries(settings.map(({ name, value, source }) => [name, { value, source }]));
};

it("should put flags before the folder's file, that before the user's, and defaults last, and say so", async () => {
  write(own, { model: "fast", protocol: "tam", lang: "zh", models: { fast: { provider: "ollama", id: "qwen3" } } });
  write(join(folder, "toolglot.toml"), 'protocol = "native" # like this\nlang = "en"\n');
  expect(await shown("--lang", "zh")).toMatchObject({
    model: { value: "fast", source: own },
    protocol: { value: "native", source: join(folder, "toolglot.toml") },
    lang: { value: "zh", source: "flag" },
    mode: { value: "loop", source: "default" },
  });
  expect(await shown("--no-config")).not.toHaveProperty("model");
  // A module's own model comes before a configured one.
  const { stdout } = await runDemo(["config", "--json"], { env });
  expect(JSON.parse(stdout).settings).toContainEqual({ name: "model", value: "planner", source: "default" });
});

it.each([
  [{ modle: "x" }, 'config.json has no option "modle". Did you mean "model"?'],
  [{ limits: { turn: 1 } }, 'limits has no option "turn". Did you mean "turns"?'],
  [
    { models: { a: { provider: "ollama", id: "x", prise: {} } } },
    'models.a has no option "prise". Did you mean "price"?',
  ],
  [{ models: { a: { provider: "ollama", id: "x", price: { input: 1, outptu: 1 } } } }, 'Did you mean "output"?'],
  [{ providers: { a: { baseUrl: "x" } } }, "providers.a.baseUrl: must begin with http:// or https://"],
  [{ providers: { a: { baseUrl: "http://x", keyVariable: "sk-123" } } }, "never a key itself"],
  [{ protocol: "json" }, "config.json: protocol:"],
  [{ limits: { turns: 0 } }, "config.json: limits.turns:"],
  [[], "takes an object of options, not a list"],
  ["{", "config.json is no JSON"],
  [{ system: "@nowhere.md" }, "The system text @nowhere.md can't be read"],
])("should refuse %j", async (value, message) => {
  write(own, value);
  const { code, stderr } = await demo("show order 1042");
  expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
});

it("should not let the file of a folder name servers, read files outside, or raise limits", () => {
  write(own, { limits: { turns: 5 } });
  const file = join(folder, "toolglot.json");
  const load = (value: unknown) => {
    write(file, value);
    return () => loadConfig({}, at).values;
  };
  expect(load({ providers: {} })).toThrow('"providers" is not taken from the file of a folder');
  expect(load({ models: {} })).toThrow(`pass --config ${file}`);
  write(join(root, "secret"), "s");
  expect(load({ system: "@../secret" })).toThrow("it lies outside of the folder");
  write(join(folder, "AGENTS.md"), "Be brief.");
  expect(load({ system: "@AGENTS.md", limits: { turns: 99, cost: 1 } })()).toEqual({
    system: "Be brief.",
    limits: { turns: 5, cost: 1 },
  });
  expect(loadConfig({ file: "toolglot.json" }, at).values.limits).toEqual({ turns: 99, cost: 1 });
});

it("should pass over a folder's file that is the gateway's", () => {
  const file = join(folder, "toolglot.json");
  for (const text of ['// Servers.\n{ "mcpServers": {}, }', '{"gateway" : {}}', '{ "servers": {}, "inputs": [] }']) {
    writeFileSync(file, text);
    expect(loadConfig({}, at).values).toEqual({});
    expect(() => loadConfig({ file: "toolglot.json" }, at)).toThrow("toolglot.json");
  }
});

it("should ask a model by its name, with its key from .env, the system text and the limits, and keep .env to itself", async () => {
  const { url, requests } = await localProvider([
    { chunks: [sse(openAiText("Hello.", "stop", [1000, 10]), { done: true })] },
  ]);
  write(own, {
    providers: { here: { baseUrl: `${url}/v1`, keyVariable: "HERE_KEY" } },
    models: { fast: { provider: "here", id: "m-1", maxTokens: 77, price: { input: 3, output: 15 } } },
  });
  expect(await demo("--model", "fast", "hi")).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("needs a key in HERE_KEY: in the environment, or in .env."),
  });
  write(join(folder, ".env"), "HERE_KEY='k-1' # mine\n");
  const run = await demo("--model", "fast", "--system", "Be brief.", "--max-cost", "0.5", "--json", "hi");
  expect(run.code).toBe(0);
  const end = run.stdout.trim().split("\n").at(-1) ?? "";
  expect(JSON.parse(end).result.usage).toMatchObject({ inputTokens: 1000, outputTokens: 10, cost: 0.00315 });
  expect(requests[0]).toMatchObject({
    path: "/v1/chat/completions",
    headers: { authorization: "Bearer k-1" },
    body: { model: "m-1", max_tokens: 77 },
  });
  expect(JSON.stringify(requests[0]?.body.messages)).toContain("Be brief.");
  expect(process.env.HERE_KEY).toBeUndefined();
});

it("should send an image as an image", async () => {
  const { url, requests } = await localProvider([{ chunks: [sse(openAiText("A dot."), { done: true })] }]);
  writeFileSync(join(folder, "dot.png"), Buffer.from("89504e470d0a1a0a00", "hex"));
  const run = await demo("--model", "m", "--base-url", `${url}/v1`, "--attach", "dot.png", "What is it?");
  expect([run.code, run.stdout]).toEqual([0, expect.stringContaining("A dot.")]);
  expect(JSON.stringify(requests[0]?.body.messages)).toContain("data:image/png;base64,iVBORw0KGgoA");
});

it("should end a run at its limits, and refuse one that could never be reached", async () => {
  const call = [...openAiCall(0, "c1", "query_sql", { sql: "SELECT 1" }), openAiFinish("tool_calls")];
  const { url } = await localProvider([{ chunks: [sse(call, { done: true })] }]);
  const own = ["--model", "m", "--base-url", `${url}/v1`, "--protocol", "native"];
  const run = await demo(...own, "--max-turns", "1", "hi");
  expect([run.code, run.stdout]).toEqual([5, expect.stringContaining("the limit of turns is reached")]);
  expect((await demo(...own, "--max-tokens", "9", "hi")).stdout).toContain("the limit of tokens is reached");
  expect((await demo(...own, "--max-cost", "1", "hi")).stderr).toContain("A limit of cost needs the price of m");
  expect((await demo(...own, "--max-turns", "1.5", "hi")).stderr).toContain("--max-turns takes a whole number above 0");
});

it("should list models that are configured, and those that a server offers", async () => {
  const list = { data: [{ id: "b\u001b[2J" }, { id: "a" }, null] };
  const { url, requests } = await localProvider([{ chunks: [JSON.stringify(list)] }]);
  write(own, {
    model: "fast",
    providers: { here: { baseUrl: `${url}/v1/`, keyVariable: "HERE_KEY" } },
    models: { fast: { provider: "here", id: "a" } },
  });
  write(join(folder, ".env"), "HERE_KEY=k-1\n");
  const { code, stdout } = await runCli(["models", "here"], { env });
  expect([code, stdout]).toEqual([0, `here  ${url}/v1/\n  here:a\n  here:b�[2J\n`]);
  expect(requests[0]).toMatchObject({ path: "/v1/models", headers: { authorization: "Bearer k-1" } });
  write(join(folder, ".env"), "HERE_KEY=\n");
  expect((await runCli(["models", "here"], { env })).stdout).toContain("no key in HERE_KEY");
  expect((await runCli(["models", "her"], { env })).stderr).toContain("There is no provider her.");
});

it("should show what was allowed always, and take it back", async () => {
  write(join(dirname(own), "allowed.json"), { version: 1, tools: [{ tool: "create_ticket", from: "demo" }] });
  const run = (...args: string[]): Promise<Ended> => runCli(["config", ...args], { env });
  expect((await run()).stdout).toMatch(/allowed +create_ticket {2}demo\n$/);
  expect((await run("forget", "create_tickets")).stderr).toContain("These were: create_ticket.");
  expect((await run("forget", "create_ticket")).stdout).toBe("create_ticket is asked about again.\n");
  expect(JSON.parse((await run("--json")).stdout).allowed).toEqual([]);
});

it("should know models by name, by provider, and by a base URL, and name what is near", () => {
  const values = { models: { fast: { provider: "ollama", id: "qwen3:8b" } } };
  const resolve = (name: string, baseUrl?: string) =>
    resolveModel(name, baseUrl, { values, env: { OPENAI_API_KEY: "k" } });
  expect(resolve("fast")).toMatchObject({
    ...{ label: "fast", id: "qwen3:8b", server: { provider: "ollama", baseUrl: "http://localhost:11434/v1" } },
  });
  expect(resolve("openai:gpt-5")).toMatchObject({
    ...{ id: "gpt-5", server: { baseUrl: "https://api.openai.com/v1", key: "k" }, keyVariable: "OPENAI_API_KEY" },
  });
  expect(resolve("qwen3:8b", "http://x/v1")).toEqual({
    ...{ label: "qwen3:8b", id: "qwen3:8b", keyVariable: "OPENAI_API_KEY" },
    server: { baseUrl: "http://x/v1", key: "k" },
  });
  // Another provider's key stays where it is.
  expect(resolve("ollama:qwen3").server.key).toBeUndefined();
  expect(() => resolve("fats")).toThrow("There is no model fats. Did you mean fast?");
  expect(() => resolve("anthropic:x")).toThrow("ANTHROPIC_API_KEY");
});

it("should reckon cached tokens by a price of their own", () => {
  const usage = { inputTokens: 1e6, cachedInputTokens: 4e5, outputTokens: 1e5 };
  expect(priceOf({ input: 2, output: 10, cachedInput: 0.5 })(usage, { stepIndex: 0 })).toBeCloseTo(1.2 + 0.2 + 1);
  expect(priceOf({ input: 2, output: 10 })(usage, { stepIndex: 0 })).toBeCloseTo(3);
});
