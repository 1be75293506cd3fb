import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { textMessage } from "@toolglot/core";
import { leftToCi } from "@toolglot/internal/testing";
import { createSandbox } from "@toolglot/sandbox";
import { afterAll, expect, it } from "vitest";
import { KeptSession } from "../src/sessions/kept-session.ts";
import { wordsFor } from "../src/words/index.ts";
import { buildDemo, type Ended, root, startDemo } from "./support/child.ts";
import { runDemo } from "./support/in-process.ts";

const data = mkdtempSync(join(tmpdir(), "demo-sessions-"));
afterAll(() => rmSync(data, { recursive: true, force: true }));

const place = { data, words: wordsFor() };
const demo = (...args: string[]): Promise<Ended> => runDemo([...args, "--data-dir", data]);
const ada = (question: string): Promise<Ended> => demo("--session", "ada", question);
const said = ({ stdout }: Ended): string => stdout.trim().split("\n").slice(-3).join("\n");

it("should know what was computed in a process that is gone", async (context) => {
  leftToCi(context);
  await buildDemo();
  const inProcess = (question: string): Promise<Ended> =>
    startDemo(["--session", "processes", question, "--data-dir", data]).ended;
  expect(await inProcess("What is 6 * 7?")).toMatchObject({ code: 0 });
  expect((await inProcess("What did I compute one question ago?")).stdout).toContain("The value was: 42");
  expect(await demo("sessions", "rm", "processes")).toMatchObject({ code: 0 });
}, 240_000);

/** The questions to `--session ada` that the README shows, in its order. */
function questionsOfReadme(): string[] {
  const readme = readFileSync(join(root, "apps/demo/README.md"), "utf8");
  return [...readme.matchAll(/^npm run demo -- --session ada "([^"]+)"/gm)].map(([, question = ""]) => question);
}

it("should know what was computed before, as the README shows it, take questions back, and forget all", async (context) => {
  leftToCi(context);
  const answers: Ended[] = [];
  for (const question of questionsOfReadme()) answers.push(await ada(question));
  expect(answers).toMatchObject([
    { code: 0, stdout: expect.stringContaining("17 * 23 = 391") },
    { code: 0 },
    { code: 0, stdout: expect.stringContaining("You asked “What is 17 * 23?”. The value was: 391") },
  ]);
  expect((await ada("两个问题之前算的是什么？")).stdout).toMatch(
    /当时的问题是“top 5 products by revenue”，值为：\s+\| label +\| +revenue \|/,
  );
  const list = await demo("sessions", "list", "--json");
  expect(JSON.parse(list.stdout)).toMatchObject({ name: "ada", question: "两个问题之前算的是什么？" });
  const shown = JSON.parse((await demo("sessions", "show", "ada", "--json")).stdout);
  expect(shown.questions).toHaveLength(4);
  expect(shown.variables).toContainEqual(expect.objectContaining({ name: "answer_1", type: "int", preview: "391" }));

  expect(await demo("sessions", "undo", "ada", "3")).toMatchObject({
    code: 0,
    stdout: "ada is as it was 3 questions ago. The last question is: What is 17 * 23?\n",
  });
  expect(JSON.parse((await demo("sessions", "show", "ada", "--json")).stdout)).toMatchObject({
    variables: [{ name: "answer_1" }],
    questions: [{ question: "What is 17 * 23?" }],
  });
  expect(said(await ada("What did I compute five questions ago?"))).toContain(
    "Only one question was asked before this one.",
  );
  expect(said(await ada("What did I compute one question ago?"))).toContain("Nothing was computed for");
  expect((await demo("sessions", "undo", "ada", "3")).stdout).toContain("Nothing was asked in it now.");
  expect(JSON.parse((await demo("sessions", "show", "ada", "--json")).stdout)).toMatchObject({ variables: [] });
  expect(await demo("sessions", "rm", "ada")).toMatchObject({ code: 0, stdout: "Removed ada.\n" });
  expect(await demo("sessions", "list")).toMatchObject({ code: 0, stdout: "No sessions.\n" });
  expect(said(await demo("What did I compute one question ago?"))).toContain("--session NAME");
}, 240_000);

it("should go on with JavaScript programs and their variables, and with plans that have none", async () => {
  const js = (question: string): Promise<Ended> => demo("--session", "eve", question);
  expect(await demo("--protocol", "attp-js", "--session", "eve", "What is 17 * 23?")).toMatchObject({
    code: 0,
    stdout: expect.stringContaining("17 * 23 = 391"),
  });
  expect(await js("top 5 products by revenue")).toMatchObject({ code: 0 });
  expect((await js("What did I compute two questions ago?")).stdout).toContain("The value was: 391");
  // The conversation goes on in another protocol, which has no variables.
  expect(await demo("--protocol", "tam", "--session", "eve", "show order 1042")).toMatchObject({ code: 0 });
  const { variables, questions } = JSON.parse((await demo("sessions", "show", "eve", "--json")).stdout);
  expect(questions).toHaveLength(4);
  expect(variables).toContainEqual(expect.objectContaining({ language: "javascript", name: "answer_1" }));
  expect(await demo("sessions", "undo", "eve", "3")).toMatchObject({ code: 0 });
  const list = JSON.parse((await demo("sessions", "list", "--json")).stdout);
  expect(list).toMatchObject({ name: "eve", questions: 1, question: "What is 17 * 23?" });
  expect((await js("What did I compute one question ago?")).stdout).toContain("The value was: 391");
  expect(await demo("sessions", "rm", "eve")).toMatchObject({ code: 0 });
  expect(await demo("sessions", "list")).toMatchObject({ stdout: "No sessions.\n" });
}, 240_000);

it("should not mix two processes' questions in one conversation", async () => {
  const kept = new KeptSession(place, "two", () => expect.fail("no programs"));
  const message = (text: string) => [textMessage("user", text)];
  await kept.keep(message("one"), "tam");
  const other = new KeptSession(place, "two", () => expect.fail("no programs"));
  await other.keep([...message("one"), ...message("two")], "tam");
  await expect(kept.keep([...message("one"), ...message("three")], "tam")).rejects.toThrow(
    "Another process has written",
  );
  await other.takeBack(1);
  expect(new KeptSession(place, "two", () => expect.fail("no programs")).book.messages).toEqual(message("one"));
  expect(await demo("sessions", "rm", "two")).toMatchObject({ code: 0 });
});

it("should say what is wrong with a session, and what to do", async () => {
  expect(await demo("sessions", "undo", "bob")).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('There is no session "bob". There are none.'),
  });
  for (const args of [
    ["--session", "a b"],
    ["--session", "x", "--mode", "single"],
  ]) {
    expect(await demo(...args, "What is 1 + 1?")).toMatchObject({ code: 2 });
  }
  expect(await demo("--session", "bob")).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("There is no question"),
  });
  expect(await demo("--session", "bob", "What is 1 + 1?")).toMatchObject({ code: 0 });
  const folder = join(data, "sessions");
  expect(statSync(join(folder, "key")).mode & 0o777).toBe(0o600);
  const images = join(folder, "images/blobs/sandbox/sessions/bob");
  for (const name of readdirSync(images).filter((file) => file.endsWith(".blob"))) {
    const bytes = readFileSync(join(images, name));
    bytes[40] = (bytes[40] ?? 0) ^ 1;
    writeFileSync(join(images, name), bytes);
  }
  expect(await demo("--session", "bob", "What is 1 + 1?")).toMatchObject({
    code: 1,
    stderr: expect.stringContaining("npm run demo -- sessions rm bob removes it."),
  });
  expect(await demo("sessions", "rm", "bob")).toMatchObject({ code: 0 });
  expect(await demo("--session", "bob", "What is 1 + 1?")).toMatchObject({ code: 0 });
}, 240_000);

it("should leave a session alone that somebody else has open", async () => {
  await using sandbox = createSandbox({ language: "python", pool: { size: 0 } });
  const session = await new KeptSession(place, "held", () => sandbox).variables("python");
  await session.save();
  expect(await demo("--session", "held", "What is 1 + 1?")).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/session held is open elsewhere until .*: close it there, or wait/),
  });
  expect(await demo("sessions", "rm", "held")).toMatchObject({
    code: 1,
    stderr: expect.stringContaining("The session held is open elsewhere"),
  });
  await session.close();
  expect(await demo("sessions", "rm", "held")).toMatchObject({ code: 0 });
}, 240_000);
