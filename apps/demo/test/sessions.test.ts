import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { leftToCi } from "@toolglot/internal/testing";
import { afterAll, expect, it } from "vitest";
import { buildDemo, type Ended, startDemo } from "./support/child.ts";
import { runDemo } from "./support/in-process.ts";

const data = mkdtempSync(join(tmpdir(), "demo-sessions-"));
afterAll(() => rmSync(data, { recursive: true, force: true }));

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

it("should know what was computed before, take questions back, and forget all", async () => {
  expect(await ada("What is 17 * 23?")).toMatchObject({ code: 0, stdout: expect.stringContaining("17 * 23 = 391") });
  expect(await ada("top 2 products by revenue")).toMatchObject({ code: 0 });
  expect(await ada("What did I compute two questions ago?")).toMatchObject({
    code: 0,
    stdout: expect.stringContaining("You asked “What is 17 * 23?”. The value was: 391"),
  });
  expect((await ada("两个问题之前算的是什么？")).stdout).toMatch(
    /当时的问题是“top 2 products by revenue”，值为：\s+\| label +\| +revenue \|/,
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
  expect(said(await ada("What did I compute five questions ago?"))).toContain("There are only 1 questions before");
  expect(said(await ada("What did I compute one question ago?"))).toContain("Nothing was computed for");
  expect(await demo("sessions", "rm", "ada")).toMatchObject({ code: 0, stdout: "Removed ada.\n" });
  expect(await demo("sessions", "list")).toMatchObject({ code: 0, stdout: "No sessions.\n" });
  expect(said(await demo("What did I compute one question ago?"))).toContain("--session NAME");
}, 240_000);

it("should say what is wrong with a session, and what to do", async () => {
  expect(await demo("sessions", "undo", "bob")).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('There is no session "bob". There are none.'),
  });
  for (const args of [
    ["--session", "a b"],
    ["--session", "x", "--protocol", "tam"],
    ["--session", "x", "--mode", "single"],
  ]) {
    expect(await demo(...args, "What is 1 + 1?")).toMatchObject({ code: 2 });
  }
  expect(await demo("--session", "bob")).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("needs a question"),
  });
  expect(await demo("--session", "bob", "What is 1 + 1?")).toMatchObject({ code: 0 });
  const folder = join(data, "sessions");
  expect(statSync(join(folder, "key")).mode & 0o777).toBe(0o600);
  const images = join(folder, "images", "session-bob");
  for (const name of readdirSync(images).filter((file) => file.endsWith(".image"))) {
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
