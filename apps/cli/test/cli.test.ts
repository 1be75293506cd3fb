import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { isBuiltin } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isThorough, leftToCi } from "@toolglot/internal/testing";
import { localProvider, openAiCall, openAiFinish, openAiText, sse } from "@toolglot/internal/testing/providers";
import Database from "libsql";
import { afterAll, beforeAll, expect, it } from "vitest";
import { buildDemo, builtDemo, type Ended, root, start, startDemo } from "./support/child.ts";
import { runDemo } from "./support/in-process.ts";

const folder = mkdtempSync(join(tmpdir(), "demo-cli-"));
const data = join(folder, "data");

const demo = (...args: string[]): Promise<Ended> => runDemo(["--data-dir", data, ...args]);

/** ATTP where its language isn't the point: a plain run takes the interpreter that starts in a fifth of the time. */
const documents = isThorough ? "attp" : "attp-js";

/** What is drawn below the line about the run. */
const body = (text: string): string => text.slice(text.indexOf("\n"));

function events(stdout: string): Record<string, unknown>[] {
  return stdout
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Record<string, unknown>);
}

beforeAll(async () => {
  await buildDemo();
}, 180_000);

afterAll(() => rmSync(folder, { recursive: true, force: true }));

it("should explain itself, and say that the planner is no language model", async () => {
  const { code, stdout, stderr } = await startDemo(["--help"]).ended;
  expect([code, stderr]).toEqual([0, ""]);
  expect(stdout).toMatch(/rule-based planner, no language model/);
  for (const option of ["--protocol", "--lang", "--mode", "--model", "--base-url", "--record", "--replay", "--json"]) {
    expect(stdout).toContain(option);
  }
  for (const code of [0, 1, 2, 3, 4, 5, 130]) expect(stdout).toMatch(new RegExp(`(?:^|\\s)${code}  `, "m"));
});

it("should load nothing but the reader of arguments before it is asked for more, so that --help comes at once", async () => {
  const seen = new Set<string>();
  const packages = new Set<string>();
  const visit = (file: string): void => {
    if (seen.has(file)) return;
    seen.add(file);
    const code = readFileSync(join(root, "apps/cli/dist", file), "utf8");
    for (const [, from = ""] of code.matchAll(/^(?:import|export)\b(?:[^'"\n]*\bfrom)? ?['"]([^'"]+)['"]/gm)) {
      if (from.startsWith("./")) visit(from.slice(2));
      else if (!isBuiltin(from)) packages.add(from);
    }
  };
  visit("main.js");
  expect([...packages]).toEqual(["commander"]);
  expect((await start("apps/cli/dist/main.js", ["--help"]).ended).stdout).toMatch(/^Usage: toolglot /);
});

it.each([
  [["--protocol", "soap"], /soap.*attp, attp-js, tam, toolsxml, native, trp/],
  [["--router", "http://127.0.0.1:1", "hi"], /--protocol trp/],
  [["--protocol", "trp", "--router", "localhost:1", "hi"], /http:\/\//],
  [["--protocol", "trp", "--token", "t", "hi"], /--router/],
  [["--protocol", "trp", "--slip", "curly-quotes", "hi"], /wrong-number/],
  [["--lang", "fr"], /fr.*zh, en/],
  [["--mode", "twice"], /twice/],
  [["--model", "qwen3"], /--base-url/],
  [["--base-url", "http://127.0.0.1:1"], /--model/],
  [["--model", "x", "--base-url", "localhost:1"], /http:\/\//],
  [["--model", "anthropic:claude", "hi"], /ANTHROPIC_API_KEY/],
  [["--slip", "typo"], /typo/],
  [["--replay", "/nowhere/run.jsonl"], /can't read/],
  [["--replay", "x", "--record", "y"], /not both/],
  [["--record", "/nowhere/run.jsonl", "hi"], /can't write/],
  [["--timeout", "soon", "hi"], /seconds.*soon/],
  [["--timeout", "0", "hi"], /more than 0/],
  [["--frobnicate"], /unknown option/],
])("should refuse %j with exit code 2", async (args, message) => {
  const { code, stdout, stderr } = await runDemo(args, { env: { ANTHROPIC_API_KEY: "" } });
  expect([code, stdout]).toEqual([2, ""]);
  expect(stderr).toMatch(message);
  expect(stderr).toContain("--help");
});

it("should take the tour without a terminal: two languages, all protocols, slips that are repaired, a project that is fixed", async () => {
  const file = join(folder, "tour.jsonl");
  const { code, stdout } = await demo("--record", file);
  expect(code).toBe(0);
  expect(stdout.split("\n")[0]).toContain("rule-based planner, no language model");
  expect(stdout).toContain("attp/missing-header");
  expect(stdout).toMatch(/attp · Check which orders/);
  expect(stdout).toMatch(/attp · 销售额/);
  expect(stdout).toMatch(
    /attp-js · mean[\s\S]*\n {2}javascript\n[\s\S]*takes one object[\s\S]*Orders \(ordered: September\): 24; average total/,
  );
  expect(stdout).toMatch(/native · Compare/);
  expect(stdout).toMatch(/toolsxml · Fix the failing test[\s\S]*FindMissing[\s\S]*All 10 tests pass/);
  expect(stdout).toMatch(/trp · show order 1042/);
  expect(stdout).toContain("Nothing was called.");
  expect(stdout).not.toContain("\u001b[");
  // Played again it is the same, without the titles of its stops.
  const replayed = await demo("--replay", file);
  expect(replayed.code).toBe(0);
  expect(body(replayed.stdout)).toBe(body(stdout).replaceAll(/^\d+\. .*\n {3}[\w-]+ · .*\n\n/gm, ""));
});

it("should write nothing but events with --json", async () => {
  const { code, stdout } = await demo("--protocol", documents, "--json", "top 3 products by revenue");
  expect(code).toBe(0);
  const all = events(stdout);
  expect(all[0]).toMatchObject({ type: "run-start", protocol: `${documents}/1` });
  expect(all.at(-1)).toMatchObject({ type: "run-end", result: { status: "answered" } });
  expect(all.some(({ type }) => type === "tool-call-end")).toBe(true);
});

it.each([
  ["what is 2+3?", 0],
  ["send a fax to the moon", 3],
  ["delete ticket 1", 4],
  ["open a ticket: nobody is here to approve", 4],
])("should end %j with exit code %i", async (question, expected) => {
  const { code, stdout } = await demo("--protocol", "native", question);
  expect(code).toBe(expected);
  if (expected === 4) expect(stdout).toMatch(/no terminal to ask at.*--yes/s);
});

it.each(["attp", "attp-js", "tam", "toolsxml", "native", "trp"])(
  "should end a request that %s declines with exit code 3, also when it is replayed",
  async (protocol) => {
    const file = join(folder, `declined-${protocol}.jsonl`);
    const args = ["--protocol", protocol, "--record", file, "sing me a song about the moon"];
    expect((await demo(...args)).code).toBe(3);
    expect((await demo("--replay", file)).code).toBe(3);
    // Programs read one word for one thing.
    const [end] = events((await demo("--replay", file, "--json")).stdout).slice(-1);
    expect(end).toMatchObject({ type: "run-end", result: { status: "declined" } });
  },
);

it("should help in Chinese", async () => {
  const { code, stdout } = await demo("--help", "--lang", "zh");
  expect(code).toBe(0);
  expect(stdout).toMatch(/用法：[\s\S]*选项：[\s\S]*显示本帮助[\s\S]*退出码/);
  expect(stdout).not.toMatch(/Exit codes|Options:|default: that/);
});

it("should deny without a terminal and change nothing, and approve with --yes", async () => {
  const count = (): number => {
    const db = new Database(join(data, "shop.db"));
    const { n } = db.prepare("SELECT COUNT(*) AS n FROM tickets").get() as { n: number };
    db.close();
    return n;
  };
  const before = count();
  const question = "Find the shipping delay policy, check which orders are affected and open a ticket";
  expect((await demo("--protocol", "native", question)).code).toBe(4);
  expect(count()).toBe(before);
  const { code, stdout } = await demo("--protocol", documents, "--yes", question);
  expect(code).toBe(0);
  expect(stdout).toContain("approved by --yes");
  expect(count()).toBe(before + 1);
});

it.each([
  ["attp", ["--slip", "wrong-name", "show order 1042"]],
  ["native", ["compare the return policy and the warranty terms"]],
  ["attp-js", ["--slip", "positional", "compare the return policy and the warranty terms"]],
  ["trp", ["--slip", "missing-argument", "compare the return policy and the warranty terms"]],
  ["trp", ["open a ticket: nobody is here to approve"]],
  [documents, ["delete ticket 2"]],
  ["trp", []],
])("should give the same events again when a run of %s is replayed: %j", async (protocol, args) => {
  const file = join(folder, "run.jsonl");
  const recorded = await demo("--json", "--protocol", protocol, "--record", file, ...args);
  const replayed = await demo("--json", "--replay", file);
  expect(replayed.stdout).toBe(recorded.stdout);
  expect(replayed.code).toBe(recorded.code);
  expect(events(replayed.stdout).length).toBeGreaterThan(10);
});

it("should draw a replay as it drew the run", async (context) => {
  leftToCi(context);
  const file = join(folder, "drawn.jsonl");
  const recorded = await demo("--protocol", documents, "--slip", "curly-quotes", "--record", file, "show ticket 3");
  const replayed = await demo("--replay", file);
  expect(body(replayed.stdout)).toBe(body(recorded.stdout));
  expect(replayed.stdout).toContain("attp/odd-delimiters");
});

it("should not play a file that is no recording, nor one that was changed", async () => {
  const file = join(folder, "changed.jsonl");
  writeFileSync(file, "hello\n");
  expect(await demo("--replay", file)).toMatchObject({ code: 2, stdout: "" });
  await demo("--protocol", "native", "--record", file, "what is 2+3?");
  writeFileSync(file, readFileSync(file, "utf8").replaceAll("2+3", "2+4"));
  expect((await demo("--json", "--replay", file)).code).not.toBe(0);
});

it("should show what the model is asked", async () => {
  const alone = await demo("--show-prompt", "--lang", "zh");
  expect(alone.code).toBe(0);
  expect(alone.stdout).toContain("# ATTP 协议 - 系统提示词");
  expect(alone.stdout).toContain("def search_documents(");
  const javascript = await demo("--show-prompt", "--protocol", "attp-js");
  expect(javascript.stdout).toContain("declare function search_documents(input: {");
  expect(javascript.stdout).not.toMatch(/python/i);
  const asked = await demo("--show-prompt", "--protocol", "tam", "what is 2+3?");
  expect(asked.stdout).toMatch(/→ system[\s\S]*→ user[\s\S]*what is 2\+3\?/);
});

it("should show a router's catalog as what the model is asked", async () => {
  const { code, stdout } = await demo("--show-prompt", "--protocol", "trp");
  expect(code).toBe(0);
  expect(stdout).toContain("3 create_ticket(title, body, priority?");
});

it.each([[["--protocol", "trp"]], [["--protocol", "trp", "--messy"]]])("should take a tour with %j", async (args) => {
  const { code, stdout } = await demo(...args);
  expect(code).toBe(0);
  expect(stdout).toContain("router(2 query_sql(");
  expect(stdout).toContain("Warranty terms");
  expect(stdout).toContain("《退货政策》");
  expect(stdout.includes("✗ router(")).toBe(args.includes("--messy"));
});

it.each(["native", "trp", "tam"])("should take the tour of %s in Chinese throughout", async (protocol) => {
  const { code, stdout } = await demo("--lang", "zh", "--protocol", protocol);
  expect(code).toBe(0);
  // What the demo and the planner say; calls and results stand deeper, or behind a sign.
  const said = stdout.split("\n").filter((line) => /^(?: {2}|\d+\. )(?![✓✗⊘│]|tam$)\S/u.test(line));
  expect(said.join("\n")).toMatch(/4\. [\s\S]*符合的有 7 条/);
  expect(said.join("\n")).toContain("状态：已送达");
  for (const line of said)
    expect(line).not.toMatch(/[a-z]: |, |\b(?:the|and|of|is|by|order|orders|search|find|look|document)\b/i);
});

it("should ask once per call through a router, and leave its requests and its log to be read", async () => {
  const question = "open a ticket: through the router";
  expect((await demo("--protocol", "trp", question)).code).toBe(4);
  const approved = await demo("--protocol", "trp", "--yes", question);
  expect(approved.code).toBe(0);
  expect(approved.stdout).toContain("approved by --yes");
  const beside = (...args: string[]): Promise<Ended> =>
    runDemo([...args, "--data-dir", data], { env: { TRP_PORT: "9" } });
  const list = await beside("approvals", "list", "--json");
  expect(events(list.stdout).slice(0, 2)).toMatchObject([
    { status: "used", decidedBy: "local-operator", args: { title: "through the router" } },
    { status: "denied", requester: "local-agent" },
  ]);
  expect((await beside("audit", "verify")).stdout).toContain("ok");
});

it("should answer in single mode with the program's value", async () => {
  const { code, stdout } = await demo("--protocol", "attp-js", "--mode", "single", "what is 6*7?");
  expect(code).toBe(0);
  expect(stdout).toMatch(/result 42/);
});

it("should ask a real model over the network, in both protocols", async (context) => {
  leftToCi(context);
  const program =
    'thought = "I count."\n\n[tool_call]\nstatus = "success"\ntarget = "count"\ncode = \'\'\'\n__result__ = query_sql("SELECT COUNT(*) AS n FROM products")["rows"][0]["n"]\n\'\'\'\n';
  const attp = await localProvider([
    { chunks: [sse(openAiText(program), { done: true })] },
    { chunks: [sse(openAiText("共有 18 种商品。"), { done: true })] },
  ]);
  const first = await demo("--model", "local", "--base-url", `${attp.url}/v1`, "有多少种商品？");
  expect(first.code).toBe(0);
  expect(first.stdout).toContain("共有 18 种商品。");
  expect(JSON.stringify(attp.requests[1]?.body.messages)).toContain("18");
  const native = await localProvider([
    {
      chunks: [
        sse(
          [
            ...openAiCall(0, "c1", "query_sql", { sql: "SELECT COUNT(*) AS n FROM products" }),
            openAiFinish("tool_calls"),
          ],
          { done: true },
        ),
      ],
    },
    { chunks: [sse(openAiText("There are 18 products."), { done: true })] },
  ]);
  const second = await demo(
    "--protocol",
    "native",
    "--model",
    "local",
    "--base-url",
    `${native.url}/v1`,
    "how many products?",
  );
  expect(second.code).toBe(0);
  expect(second.stdout).toContain("There are 18 products.");
});

it("should end with exit code 1 and one clear line when the provider refuses the key", async () => {
  const { url } = await localProvider([{ status: 401, chunks: ['{"error":{"message":"wrong key"}}'] }]);
  const { code, stdout } = await demo("--model", "local", "--base-url", `${url}/v1`, "hi");
  expect(code).toBe(1);
  expect(stdout.replace(/\s+/g, " ")).toMatch(
    /model-unauthorised: .*wrong key.* No key was sent: set it in OPENAI_API_KEY\./,
  );
  expect(stdout).not.toMatch(/\n\s+at /);
});

it("should cancel with one Ctrl-C, which npm and a terminal may both pass on", async () => {
  const { url } = await localProvider([{ chunks: [sse(openAiText("first words "))], ending: "hang" }]);
  const args = ["--data-dir", data, "--model", "local", "--base-url", `${url}/v1`, "hi"];
  const run = startDemo(args);
  await run.seen("first words");
  run.interrupt();
  run.interrupt();
  const { code, stdout } = await run.ended;
  expect(code).toBe(130);
  expect(stdout).toContain("cancelled");
});

it("should cancel through the start script", async () => {
  const { url } = await localProvider([{ chunks: [sse(openAiText("first words "))], ending: "hang" }]);
  const args = ["--data-dir", data, "--model", "local", "--base-url", `${url}/v1`, "hi"];
  const run = start("scripts/demo.mjs", args);
  await run.seen("first words");
  run.interrupt();
  const { code, stdout } = await run.ended;
  expect(code).toBe(130);
  expect(stdout).toContain("cancelled");
}, 60_000);

it("should end quietly when nobody reads any more", async () => {
  const [file = "", ...module] = builtDemo;
  const command = [process.execPath, join(root, file), ...module, "--data-dir", data, "--json"];
  const env = { ...process.env, STDERR: join(folder, "stderr") };
  const child = spawn("sh", ["-c", '"$@" 2>"$STDERR" | head -n 1', "sh", ...command], { env });
  const code = await new Promise((done) => child.on("close", done));
  expect(code).toBe(0);
  expect(readFileSync(join(folder, "stderr"), "utf8")).toBe("");
});
