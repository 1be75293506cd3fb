import { readFileSync } from "node:fs";
import { Toolkit, type ToolResponse } from "@toolglot/toolkit";
import { describe, expect, it } from "vitest";
import { openSession } from "../support/session.ts";
import { backends, session } from "./sessions.ts";

describe.each(backends)("while a command runs (%s)", { concurrent: true }, (backend) => {
  it("its output is given", async ({ onTestFinished }) => {
    const { shell } = await session(backend, {}, onTestFinished);
    const given: string[] = [];
    let atFirst = 0;
    const started = performance.now();
    const result = await shell.run("echo one; sleep 0.6; echo two", {
      onOutput: (text) => {
        atFirst ||= performance.now() - started;
        given.push(text);
      },
    });
    expect(result).toMatchObject({ status: "ended", output: "one\ntwo\n" });
    expect(given[0]).toBe("one\n");
    expect(atFirst).toBeLessThan(result.ms - 200);
    expect("one\ntwo\n".startsWith(given.join(""))).toBe(true);
  });

  it("a flood is given as its beginning, and the result is whole", async ({ onTestFinished }) => {
    const { shell } = await session(backend, { maxChars: 1000 }, onTestFinished);
    const given: string[] = [];
    const result = await shell.run("seq 1 60000; sleep 0.3", { onOutput: (text) => given.push(text) });
    const whole = readFileSync(result.artifact as string, "utf8");
    expect(whole.split("\n")).toHaveLength(60_001);
    expect(given.length).toBeGreaterThan(0);
    expect(whole.startsWith(given.join(""))).toBe(true);
  });

  it("a listener that is none is refused", async ({ onTestFinished }) => {
    const { shell } = await session(backend, {}, onTestFinished);
    expect(() => shell.run("true", { onOutput: "x" as never })).toThrow(TypeError);
  });
});

it("gives what was printed since the last result, then what the answer brings", async ({ onTestFinished }) => {
  const { shell } = await session("pty", {}, onTestFinished);
  const asked = await shell.run('read -p "Name? " x; echo "hi $x"; sleep 0.3; echo bye; sleep 0.2');
  expect(asked).toMatchObject({ status: "running", waiting: "input" });
  const given: string[] = [];
  const done = await shell.input("Bob\n", { onOutput: (text) => given.push(text) });
  expect(done).toMatchObject({ status: "ended", output: "Bob\nhi Bob\nbye\n" });
  expect(given.length).toBeGreaterThan(1);
  expect(done.output.startsWith(given.join(""))).toBe(true);
});

it("an executor reports progress of commands, and the result stays what it is", async () => {
  const { ask } = await openSession();
  const { raw, context } = await ask("<tools><command>echo one; sleep 0.5; echo two</command></tools>");
  const events = context.events.map((event) =>
    event.type === "tool-call-progress" ? [event.type, event.callId, event.data] : [event.type],
  );
  const id = raw[0]?.callId;
  expect(events[0]).toEqual(["tool-call-start"]);
  expect(events[1]).toEqual(["tool-call-progress", id, { output: "one\n" }]);
  expect(events.at(-1)).toEqual(["tool-call-end"]);
  expect(raw[0]).toMatchObject({ status: "ok", content: [{ text: "one\ntwo" }] });
});

it("tools that stream yield it, and end in the same data", async () => {
  const { local } = await openSession();
  const script = 'echo one; sleep 0.3; read -p "Name? " x; echo "hi $x"; sleep 0.3; exit 3';
  const call = async (
    kit: Toolkit,
    name: string,
    input: Record<string, unknown>,
  ): Promise<{ pieces: string[]; data: unknown }> => {
    const responses: ToolResponse[] = [];
    for await (const response of kit.callToolFunction({ id: "1", name, input })) responses.push(response);
    const pieces = responses
      .slice(0, -1)
      .map(({ content }) => content.map((block) => ("text" in block ? block.text : "")).join(""));
    return { pieces, data: responses.at(-1)?.data };
  };
  const streaming = new Toolkit();
  for (const tool of local.tools({ stream: true })) streaming.registerToolFunction(tool, { chunks: "incremental" });
  const asked = await call(streaming, "command", { script: `( ${script} )` });
  expect(asked.pieces[0]).toBe("one\n");
  expect(asked.data).toMatchObject({ status: "running", waiting: "input", output: "one\nName? " });
  const answered = await call(streaming, "input", { data: "Bob\\n" });
  expect(answered.pieces.join("")).toBe("Bob\nhi Bob\n");

  const plain = new Toolkit();
  for (const tool of local.tools()) plain.registerToolFunction(tool);
  const once = await call(plain, "command", { script: `( ${script} )` });
  expect(once).toEqual({ pieces: [], data: asked.data });
  expect((await call(plain, "input", { data: "Bob\\n" })).data).toEqual(answered.data);
  await expect(async () => local.tools({ streams: true } as never)).rejects.toThrow(/Did you mean "stream"/);

  const refused = await call(streaming, "input", { data: "x" });
  expect(refused).toEqual({ pieces: [], data: undefined });
});
