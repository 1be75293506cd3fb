import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { localProvider, openAiCall, openAiFinish, openAiText, sse } from "@toolglot/internal/testing/providers";
import { afterAll, beforeEach, expect, it, onTestFinished } from "vitest";
import { newSessionName } from "../src/sessions/conversation-book.ts";
import type { Ended } from "./support/child.ts";
import { runCli, type Surroundings } from "./support/in-process.ts";
import { typedTerminal } from "./support/terminal.ts";

// What a stranger does with the command line: a folder of their own, a server of models, and nothing of the demo.

const root = realpathSync(mkdtempSync(join(tmpdir(), "cli-own folder #%?-")));
const folder = join(root, "work");
const env = { XDG_CONFIG_HOME: join(root, "config"), XDG_DATA_HOME: join(root, "share"), OPENAI_API_KEY: "" };

beforeEach(() => {
  rmSync(root, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "port.txt"), "port = 3000\n");
  writeFileSync(join(folder, "AGENTS.md"), "Answer like a ship's captain.\n");
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

const run = (args: readonly string[], more: Surroundings = {}): Promise<Ended> =>
  runCli(args, { folder, env, ...more });

/** A server that gives these answers, and what it was asked. */
async function server(...answers: (string | unknown[])[]) {
  const { url, requests } = await localProvider(
    answers.map((answer) => ({
      chunks: [sse(typeof answer === "string" ? openAiText(answer) : answer, { done: true })],
    })),
  );
  const flags = ["--model", "tiny", "--base-url", `${url}/v1`];
  return { url, flags, said: () => requests.map(({ body }) => JSON.stringify(body.messages ?? "")) };
}

const edit =
  '<tools>\n<edit>\n<file src="port.txt">\n<find>3000</find>\n<replace>8080</replace>\n</file>\n</edit>\n</tools>';
const port = (): string => readFileSync(join(folder, "port.txt"), "utf8");

it.each([
  ["en", /^No model is configured\.[\s\S]*--base-url[\s\S]*OPENAI_API_KEY[\s\S]*\.env/],
  ["zh", /^还没有配置模型。[\s\S]*--base-url[\s\S]*OPENAI_API_KEY[\s\S]*\.env/],
])("should say on one screen how to configure a model, in %s, and end with 7", async (lang, message) => {
  const { code, stdout, stderr } = await run(["--lang", lang, "hello"]);
  expect([code, stdout]).toEqual([7, ""]);
  expect(stderr).toMatch(message);
  expect(stderr).toContain(join(root, "config/toolglot/config.toml"));
  expect(stderr.split("\n").length).toBeLessThanOrEqual(24);
});

it("should let a model read and change the folder that was named, give it AGENTS.md, and take the change back", async () => {
  const { flags, said } = await server(edit, "Aye, it listens at 8080.");
  const { code, stdout, stderr } = await run([...flags, "--project", ".", "move to port 8080"]);
  expect([code, port()]).toEqual([0, "port = 8080\n"]);
  expect(stdout).toContain(`toolglot · tiny · toolsxml · loop · ${folder}`);
  expect(stdout).toContain("Aye, it listens at 8080.");
  expect(stderr).toContain("toolglot undo takes the last change in the project back.");
  expect(said()[0]).toContain("Answer like a ship's captain.");
  expect(readdirSync(folder).sort()).toEqual(["AGENTS.md", "port.txt"]);
  expect((await run(["undo", "--list"])).stdout).toContain("port.txt");
  expect(await run(["undo"])).toMatchObject({ code: 0, stdout: expect.stringContaining("+port = 3000") });
  expect(port()).toBe("port = 3000\n");
});

it("should call the folder's tools as native functions, too", async () => {
  const files = [{ src: "port.txt", edits: [{ find: "3000", replace: "8080" }] }];
  const { flags } = await server([...openAiCall(0, "c1", "edit", { files }), openAiFinish("tool_calls")], "Done.");
  const { code, stdout } = await run([...flags, "--protocol", "native", "--project", folder, "move to port 8080"]);
  expect([code, port()]).toEqual([0, "port = 8080\n"]);
  expect(stdout).toContain("Changed port.txt: 1 replacement (+1 -1)");
});

it("should run a command only with consent, and say that it was denied", async () => {
  const script = "<tools>\n<command>echo ran > ran.txt</command>\n</tools>";
  const { flags } = await server(script, "I may not.");
  expect((await run([...flags, "--project", ".", "run it"])).code).toBe(4);
  expect(existsSync(join(folder, "ran.txt"))).toBe(false);
  const allowed = await server(script, "It ran.");
  expect((await run([...allowed.flags, "--project", ".", "--yes", "run it"])).code).toBe(0);
  expect(existsSync(join(folder, "ran.txt"))).toBe(true);
});

it("should give a model nothing of a folder that nobody has agreed to, and say so", async () => {
  const { flags, said } = await server(edit, "I see no files.");
  const { stderr } = await run([...flags, "move to port 8080"]);
  expect(stderr).toContain(`The model has no access to ${folder}: start toolglot there at a terminal once`);
  expect(port()).toBe("port = 3000\n");
  expect(said()[0]).not.toContain("captain");
  const none = await server("Hello.");
  expect(await run([...none.flags, "--no-project", "hello"])).toMatchObject({ code: 0, stderr: "" });
  expect(await run([...none.flags, "--project", "nowhere", "hello"])).toMatchObject({ code: 2 });
  // The whole of what somebody has is never taken by the way.
  expect((await run([...none.flags, "hello"], { folder: "/" })).stderr).toContain("works in / only when you name it");
});

it("should ask about a folder once, at a terminal, remember it, and forget it when it is told to", async () => {
  const { flags, said } = await server("Aye.");
  const { seen, type, ended } = typedTerminal(flags, { folder, env });
  await seen(`May the model read and change files in ${folder}?`);
  // The last of three choices.
  type("\x1b[B\x1b[B\r");
  await seen("◆  You");
  type("hello\r");
  await seen("Aye.");
  await seen("◆  You");
  type("/exit\r");
  expect(await ended).toBe(0);
  expect(said()[0]).toContain("captain");
  const later = await server(edit, "Done.");
  expect((await run([...later.flags, "move to port 8080"])).code).toBe(0);
  expect(port()).toBe("port = 8080\n");
  expect((await run(["config"])).stdout).toContain(`folder    ${folder}`);
  expect(await run(["config", "forget", folder])).toMatchObject({ code: 0 });
  expect((await run([...later.flags, "again"])).stderr).toContain("The model has no access to");
});

it("should take up the last conversation of its folder with --continue, and of no other", async () => {
  const { flags, said } = await server("Noted.");
  expect(await run([...flags, "--no-project", "--continue", "hello"])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining(`No conversation was kept in ${folder} yet`),
  });
  await run([...flags, "--no-project", "my boat is called Ada"]);
  await run([...flags, "--no-project", "-c", "what is it called?"]);
  expect(said()[1]).toMatch(/my boat is called Ada.*Noted\..*what is it called\?/);
  const elsewhere = join(root, "elsewhere");
  mkdirSync(elsewhere);
  expect((await run([...flags, "--no-project", "-c", "and here?"], { folder: elsewhere })).code).toBe(2);
  expect((await run(["sessions", "list"])).stdout).toMatch(/^auto-\d{8}T\d{6}-[0-9a-f]{6} .*what is it called\?\n$/);
  await run([...flags, "--no-project", "--no-keep", "a secret"]);
  expect((await run(["sessions", "list", "--json"])).stdout).not.toContain("a secret");
});

it("should keep fifty conversations without a name, and all with one", () => {
  const sessions = join(root, "sessions");
  mkdirSync(sessions);
  const names = Array.from({ length: 60 }, (_, at) => `auto-2026010${at % 10}T${100_000 + at}-aaaaaa`);
  for (const name of [...names, "ada"]) writeFileSync(join(sessions, `${name}.json`), "{}");
  newSessionName(sessions);
  const left = readdirSync(sessions);
  expect(left).toHaveLength(51);
  expect(left).toContain("ada.json");
  const newest = names.sort().slice(-50);
  expect(left).toEqual(expect.arrayContaining(newest.map((name) => `${name}.json`)));
});

it("should list with /model what the server offers, and change to one of its models by name", async () => {
  const list = { chunks: [JSON.stringify({ data: [{ id: "large" }, { id: "tiny" }] })] };
  const { url, requests } = await localProvider([list, { chunks: [sse(openAiText("I am large."), { done: true })] }]);
  const flags = ["--model", "tiny", "--base-url", `${url}/v1`, "--no-project"];
  const { seen, type, ended } = typedTerminal(flags, { folder, env });
  await seen("◆  You");
  type("/model\r");
  await seen(`The server at ${url}/v1 offers: large, tiny.`);
  await seen("◆  You");
  type("/model large\r");
  await seen("The model is large.");
  await seen("◆  You");
  type("who are you?\r");
  await seen("I am large.");
  await seen("◆  You");
  type("/clear\r");
  await seen("The model knows nothing of what was said before.");
  await seen("◆  You");
  type("/exit\r");
  expect(await ended).toBe(0);
  expect(requests.map(({ path, body }) => [path, body.model])).toEqual([
    ["/v1/models", undefined],
    ["/v1/chat/completions", "large"],
  ]);
});

it("should serve the tools of any module as a router, each as a capability of its own", async () => {
  // What runs the tests imports no file whose path holds a # or a ?.
  const file = join(mkdtempSync(join(tmpdir(), "cli-dice-")), "dice.mjs");
  onTestFinished(() => rmSync(dirname(file), { recursive: true }));
  const source = `export default { name: "rollDice", description: "Rolls.", inputSchema: { type: "object" },
    annotations: { readOnlyHint: true }, execute: () => 4 };`;
  writeFileSync(file, source);
  const { stdout } = await run(["--protocol", "trp", "--tools", file, "--show-prompt"]);
  expect(stdout).toMatch(/0 rollDice\(\) R Rolls/);
});
