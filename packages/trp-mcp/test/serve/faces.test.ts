import { countTokens } from "gpt-tokenizer/encoding/o200k_base";
import { expect, it } from "vitest";
import { queries, servers } from "./fixtures/tools-of-20-servers.ts";
import { ask, gateOf, newestRequest, type TestTool, upstream } from "./support.ts";

const url = "http://gate.test/mcp";
// biome-ignore lint/suspicious/noExplicitAny: whatever a test wants to look at
type Result = any;

function toolOf(line: string): TestTool {
  const [, name = "", description = "", given = ""] = /^(\w+): (.*) \((.*)\)$/.exec(line) ?? [];
  const names = given === "" ? [] : given.split(", ");
  const properties = Object.fromEntries(names.map((one) => [one.replace("?", ""), { type: "string" }]));
  const required = names.filter((one) => !one.endsWith("?"));
  return { name, description, inputSchema: { type: "object", properties, required } };
}

const catalog = () =>
  Promise.all(
    Object.entries(servers).map(([name, { about, tools }]) =>
      upstream(name, tools.trim().split("\n").map(toolOf), undefined, { instructions: `${about} Use it with care.` }),
    ),
  );

async function searching(face: "search" | "auto" = "search") {
  const { gate, calls } = gateOf(await catalog(), { face });
  const send = async (method: string, params: object = {}): Promise<Result> =>
    (await ask(gate, newestRequest(url, method, { ...params }))).result;
  return {
    gate,
    calls,
    list: () => send("tools/list"),
    use: async (name: string, args: object): Promise<Result> => {
      const result = await send("tools/call", { name, arguments: args });
      return { ...result, text: result.content.map((block: { text: string }) => block.text).join("\n") };
    },
  };
}

it("has 400 tools and 100 queries to test with", async () => {
  const names = new Set((await catalog()).flatMap(({ tools }) => tools.map(({ shownName }) => shownName)));
  expect(names.size).toBe(400);
  expect(new Set(queries.map(([query]) => query)).size).toBe(100);
  for (const [, gold] of queries) expect(names).toContain(gold);
});

it("lists the search in at most 1,500 tokens, with a line for each server", async () => {
  const { list } = await searching();
  const { tools } = await list();
  expect(tools.map(({ name }: { name: string }) => name)).toEqual([
    "toolglot_search",
    "toolglot_describe",
    "toolglot_call",
    "toolglot_again",
    "toolglot_status",
  ]);
  const lines = tools[0].description.split("\n").slice(1);
  expect(lines).toHaveLength(20);
  expect(lines[0]).toBe("- github (20): Repositories, issues, pull requests and workflows on GitHub.");
  expect(countTokens(JSON.stringify({ tools }))).toBeLessThanOrEqual(1_500);
});

it("finds the tool among the first 8 for 90 of 100 queries, in at most 2,000 tokens", async () => {
  const { use } = await searching();
  const missed: string[] = [];
  let most = 0;
  for (const [query, gold] of queries) {
    const { text } = await use("toolglot_search", { query });
    most = Math.max(most, countTokens(text));
    if (!text.split("\n").some((line: string) => line.startsWith(`${gold}(`))) missed.push(`${query}: ${gold}`);
  }
  expect(missed.length, missed.join("\n")).toBeLessThanOrEqual(10);
  expect(most).toBeLessThanOrEqual(2_000);
  expect(countTokens((await use("toolglot_search", { query: "list", limit: 20 })).text)).toBeLessThanOrEqual(2_000);
});

it("finds, describes and calls", async () => {
  const { use, calls } = await searching();
  const found = await use("toolglot_search", { query: "refund", server: "stripe", limit: 1 });
  expect(found.text).toMatch(/\nstripe__refund_payment\(payment_id, amount\?, reason\?\): Pay all or part/);
  expect(found.text.split("\n")).toHaveLength(2);
  const described = await use("toolglot_describe", { names: ["stripe__refund_payment", "stripe__refund_payments"] });
  const [known, unknown] = described.text.split("\n");
  expect(JSON.parse(known)).toMatchObject({
    name: "stripe__refund_payment",
    inputSchema: { properties: { payment_id: { type: "string" } }, required: ["payment_id"] },
  });
  expect(unknown).toMatch(/There is no tool "stripe__refund_payments". Did you mean stripe__refund_payment/);
  for (const args of [{ payment_id: "p1" }, `{"payment_id":"p1"}`]) {
    const { text } = await use("toolglot_call", { name: "stripe__refund_payment", arguments: args });
    expect(text).toBe("refund_payment");
  }
  expect(calls.ran).toEqual(Array(2).fill(`stripe__refund_payment {"payment_id":"p1"}`));
});

it.each([
  ["toolglot_search", {}, /needs "query"/],
  ["toolglot_search", { query: 5 }, /needs "query"/],
  ["toolglot_search", { query: "x", server: "nowhere" }, /no server "nowhere". There are: aws, calendar, /],
  ["toolglot_describe", {}, /needs "names"/],
  ["toolglot_call", {}, /needs "name"/],
  ["toolglot_call", { name: "github__nothing_like_it" }, /There is no tool "github__nothing_like_it"/],
  ["toolglot_call", { name: "github__create_issue", arguments: [1] }, /"arguments" must be an object/],
  ["toolglot_call", { name: "github__create_issue", arguments: "{" }, /"arguments" must be an object/],
])("tells a model what is wrong with %s %j", async (name, args, said) => {
  const { use, calls } = await searching();
  const { text, isError } = await use(name, args);
  expect({ text, isError }).toMatchObject({ text: expect.stringMatching(said), isError: true });
  expect(calls.ran).toEqual([]);
});

it("says that nothing fits", async () => {
  const { use } = await searching();
  expect((await use("toolglot_search", { query: "qqqq" })).text).toMatch(/None of 400 tools fits/);
});

it("keeps an answer short, whatever servers write", async () => {
  const long = "Does something or other. ".repeat(400);
  const properties = Object.fromEntries([...Array(200).keys()].map((at) => [`argument_${at}_${"x".repeat(80)}`, {}]));
  const tools = [...Array(20).keys()].map((at) => ({
    name: `tool_${at}`,
    description: long,
    inputSchema: { type: "object", properties },
  }));
  const { gate } = gateOf([await upstream("wordy", tools, undefined, { instructions: long.replaceAll(". ", " ") })], {
    face: "search",
  });
  const { result } = await ask(
    gate,
    newestRequest(url, "tools/call", { name: "toolglot_search", arguments: { query: "something", limit: 20 } }),
  );
  expect(countTokens(result.content[0].text)).toBeLessThanOrEqual(2_000);
  const { result: listed } = await ask(gate, newestRequest(url, "tools/list"));
  expect(countTokens(JSON.stringify(listed.tools))).toBeLessThanOrEqual(1_500);
});

it("searches only what the caller sees", async () => {
  const { gate } = gateOf(await catalog(), { face: "search", visible: (_caller, { server }) => server === "music" });
  const use = async (name: string, args: object): Promise<Result> =>
    (await ask(gate, newestRequest(url, "tools/call", { name, arguments: args }))).result;
  const { content } = await use("toolglot_search", { query: "create issue playlist", limit: 20 });
  expect(content[0].text).toMatch(/music__create_playlist/);
  expect(content[0].text).not.toMatch(/github/);
  expect(await use("toolglot_call", { name: "github__create_issue" })).toMatchObject({ isError: true });
  expect((await use("toolglot_describe", { names: ["github__create_issue"] })).content[0].text).toMatch(/no tool/);
  const { result } = await ask(gate, newestRequest(url, "tools/list"));
  expect(result.tools[0].description.split("\n").slice(1)).toEqual([expect.stringMatching(/^- music \(20\)/)]);
});

it("shows tools as they are while their list is small, and keeps to that", async () => {
  const all = await catalog();
  const shown = all.slice(0, 2);
  const { gate } = gateOf(shown);
  expect(gate.face).toBe("tools");
  shown.push(...all.slice(2));
  expect(gate.face).toBe("tools");
  const { result } = await ask(gate, newestRequest(url, "tools/list"));
  const names = result.tools.map(({ name }: { name: string }) => name);
  expect(names).toHaveLength(402);
  expect(names.slice(0, 400)).toEqual(names.slice(0, 400).toSorted());
  const large = gateOf(all);
  expect(large.gate.face).toBe("search");
});
