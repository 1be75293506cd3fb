import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { localProvider, openAiText, sse } from "@toolglot/internal/testing/providers";
import { afterAll, beforeAll, expect, it } from "vitest";
import { buildDemo, type Ended, noConfig, root } from "./support/child.ts";
import { runDemo } from "./support/in-process.ts";

// What is piped in is the question, goes with the question, or is refused. A real model is never asked what nobody asked.

const folder = mkdtempSync(join(tmpdir(), "demo-stdin-"));
beforeAll(buildDemo, 180_000);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const demo = (args: readonly string[], input?: string | Buffer): Promise<Ended> =>
  runDemo(["--data-dir", join(folder, "data"), "--protocol", "native", ...args], input === undefined ? {} : { input });

async function model(): Promise<{ flags: string[]; said(): string[] }> {
  const server = await localProvider([{ chunks: [sse(openAiText("Read."), { done: true })] }]);
  return {
    flags: ["--model", "tiny", "--base-url", `${server.url}/v1`],
    said: () => server.requests.map(({ body }) => JSON.stringify(body.messages)),
  };
}

it("should ask what is piped in, in any script, and nothing else", async () => {
  const { flags, said } = await model();
  const { code, stdout } = await demo(flags, "2 加 2 等于多少？\n\nAnd 3 + 3?\n");
  expect([code, stdout]).toEqual([0, expect.stringContaining("Read.")]);
  expect(said()).toHaveLength(1);
  expect(said()[0]).toContain("2 加 2 等于多少？\\n\\nAnd 3 + 3?");
});

it("should send what is piped in with the question, as text that informs and asks nothing", async () => {
  const { flags, said } = await model();
  const { code } = await demo([...flags, "summarise this"], "Revenue: 12\n");
  expect(code).toBe(0);
  expect(said()[0]).toMatch(/standard input:.*Revenue: 12.*summarise this/);
});

it.each([
  ["nothing at all for a real model", true, [], "", /There is no question/],
  ["a question that is no text", true, [], Buffer.from([0xff, 0xfe, 0x00]), /no text/],
  ["something beside a question for the planner", false, ["show order 1042"], "order 7", /reads no files/],
])("should refuse %s", async (_name, isReal, args, input, message) => {
  const { flags, said } = await model();
  const { code, stdout, stderr } = await demo([...(isReal ? flags : []), ...args], input);
  expect([code, stdout]).toEqual([2, ""]);
  expect(stderr).toMatch(message);
  expect(said()).toEqual([]);
});

it("should let the planner answer what is piped in", async () => {
  const { code, stdout } = await demo([], "what is 2+3?\n");
  expect([code, stdout]).toEqual([0, expect.stringContaining("2+3 = 5")]);
});

it("should not be held by a pipe that stays open and empty", async () => {
  const { flags, said } = await model();
  const child = spawn(
    process.execPath,
    [join(root, "apps/cli/dist/main.js"), "--data-dir", join(folder, "open"), ...flags, "hello"],
    {
      env: { ...process.env, ...noConfig },
      stdio: ["pipe", "ignore", "pipe"],
    },
  );
  let told = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    told += text;
  });
  const code = await new Promise((resolve) => child.on("close", resolve));
  expect([code, said().length]).toEqual([0, 1]);
  expect(told).toContain("nothing came in 5 s");
});

it("should take the tour by its name only with the planner, whatever is configured", async () => {
  const { flags } = await model();
  expect(await demo([...flags, "--tour"])).toMatchObject({ code: 2 });
  expect(await demo(["--tour", "a question"])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("The tour has questions and a model of its own"),
  });
});
