import { createAgent } from "@toolglot/agent";
import { scriptedModel } from "@toolglot/agent/testing";
import { describe, expect, it } from "vitest";
import { openSession, protocol } from "../support/session.ts";

const before = "x = 0\ny = 0\n";
const edit = (pairs: string): string => `<tools>\n<edit><file src="a.txt">\n${pairs}\n</file></edit>\n</tools>`;
const commands = (lines: string): string => `<tools>\n${lines}\n</tools>`;

/** Answers with one damaged tag, whose value took in its neighbour, in a layout where nothing else shows it. */
const damaged: Record<string, string> = {
  "the closing tag of a pair": edit("<find>x = 0</find><replace>x = 1\n<find>y = 0</find><replace>y = 2</replace>"),
  "a closing tag with a letter missing": edit(
    "<find>x = 0</find><replace>x = 1</repace><find>y = 0</find><replace>y = 2</replace>",
  ),
  "the closing tag of the other": edit(
    "<find>x = 0</find><replace>x = 1</find><find>y = 0</find><replace>y = 2</replace>",
  ),
  "a closing tag twice": edit(
    "<find>x = 0</find><replace>x = 1</replace></replace><find>y = 0</find><replace>y = 2</replace>",
  ),
  "an opening tag": edit("<find>x = 0</find><replace>x = 1</replace>find>y = 0</find><replace>y = 2</replace>"),
  "the opening tag of a script": commands("<command>echo one >> a.txt</command>\ncommand>echo two >> a.txt</command>"),
  "the closing tag of a script": commands("<command>echo one >> a.txt</comand><command>echo two >> a.txt</command>"),
  "an opening tag in square brackets": commands(
    "<command>echo one >> a.txt</command>[command]echo two >> a.txt</command>",
  ),
};

describe("from an answer with a damaged tag nothing is written and nothing runs", () => {
  it.each(Object.entries(damaged))("%s", async (_, answer) => {
    const { work, executor, local } = await openSession({ files: { "a.txt": before } });
    const model = scriptedModel([answer, "I give up."]);
    const { text } = await createAgent({ model, protocol, executor, tools: local.tools() }).run("Go.").result;
    expect(text).toBe("I give up.");
    expect(await work.read("a.txt")).toBe(before);
    // The model was told what is wrong, and asked for another answer.
    const [, second] = model.requests;
    expect(JSON.stringify(second?.messages.at(-1))).toContain("Nothing was run.");
  });
});

it("the same edit without a slip is made", async () => {
  const { work, executor, local } = await openSession({ files: { "a.txt": before } });
  const answer = edit("<find>x = 0</find><replace>x = 1</replace><find>y = 0</find><replace>y = 2</replace>");
  const model = scriptedModel([answer, "Done."]);
  await createAgent({ model, protocol, executor, tools: local.tools() }).run("Go.").result;
  expect(await work.read("a.txt")).toBe("x = 1\ny = 2\n");
});
