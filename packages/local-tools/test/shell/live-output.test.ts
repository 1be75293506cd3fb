import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { executorContext } from "@toolglot/core/executing";
import { Toolkit, type ToolResponse } from "@toolglot/toolkit";
import { describe, expect, it } from "vitest";
import { actionOf, openSession } from "../support/session.ts";
import { fewWays, session } from "./sessions.ts";

/** A command waits for the file `go`, so that the listener decides when it goes on, however busy the machine is. */
const wait = "until [ -e go ]; do sleep 0.02; done";

function listener(
  dir: string,
  isReady: (given: string) => boolean,
): { given: string[]; onOutput: (text: string) => void } {
  const given: string[] = [];
  const onOutput = (text: string): void => {
    given.push(text);
    if (isReady(given.join(""))) writeFileSync(join(dir, "go"), "");
  };
  return { given, onOutput };
}

describe.each(fewWays)("while a command runs (%s)", { concurrent: true }, (backend) => {
  it("its output is given", async ({ onTestFinished }) => {
    const { shell, dir } = await session(backend, {}, onTestFinished);
    const { given, onOutput } = listener(dir, (text) => text === "one\n");
    const result = await shell.run(`echo one; ${wait}; echo two`, { onOutput });
    expect(result).toMatchObject({ status: "ended", output: "one\ntwo\n" });
    expect("one\ntwo\n".startsWith(given.join(""))).toBe(true);
  });

  it("a flood is given as its beginning, and the result is whole", async ({ onTestFinished }) => {
    const { shell, dir } = await session(backend, { maxChars: 1000 }, onTestFinished);
    const { given, onOutput } = listener(dir, (text) => text.length > 100_000);
    const result = await shell.run(`seq 1 60000; ${wait}`, { onOutput });
    const whole = readFileSync(result.artifact as string, "utf8");
    expect(whole.split("\n")).toHaveLength(60_001);
    expect(given.join("").length).toBeGreaterThan(100_000);
    expect(whole.startsWith(given.join(""))).toBe(true);
  });

  it("a listener that is none is refused", async ({ onTestFinished }) => {
    const { shell } = await session(backend, {}, onTestFinished);
    expect(() => shell.run("true", { onOutput: "x" as never })).toThrow(TypeError);
  });
});

it("gives what was printed since the last result, then what the answer brings", async ({ onTestFinished }) => {
  const { shell, dir } = await session("pty", {}, onTestFinished);
  const asked = await shell.run(`read -p "Name? " x; echo "hi $x"; ${wait}; echo bye`);
  expect(asked).toMatchObject({ status: "running", waiting: "input" });
  const { given, onOutput } = listener(dir, (text) => text === "Bob\nhi Bob\n");
  const done = await shell.input("Bob\n", { onOutput });
  expect(done).toMatchObject({ status: "ended", output: "Bob\nhi Bob\nbye\n" });
  expect(done.output.startsWith(given.join(""))).toBe(true);
});

it("an executor reports progress of commands, and the result stays what it is", async () => {
  const { executor, work } = await openSession();
  const { onOutput } = listener(work.path, (text) => text === "one\n");
  const events: unknown[][] = [];
  const context = executorContext({
    emit: (event) => {
      events.push(event.type === "tool-call-progress" ? [event.type, event.callId, event.data] : [event.type]);
      if (event.type === "tool-call-progress") onOutput((event.data as { output: string }).output);
    },
  });
  const action = actionOf(`<tools><command>echo one; ${wait}; echo two</command></tools>`);
  const [result] = await executor.execute(action, context);
  expect(result).toMatchObject({ status: "ok", content: [{ text: "one\ntwo" }] });
  expect(events[0]).toEqual(["tool-call-start"]);
  expect(events[1]).toEqual(["tool-call-progress", result?.callId, { output: "one\n" }]);
  expect(events.at(-1)).toEqual(["tool-call-end"]);
});

it("tools that stream yield it, and end in the same data", async () => {
  const { local, work } = await openSession();
  const call = async (
    kit: Toolkit,
    input: Record<string, unknown>,
    onOutput: (text: string) => void = () => {},
    name = "script" in input ? "command" : "input",
  ): Promise<{ pieces: string[]; data: unknown }> => {
    const responses: ToolResponse[] = [];
    const textOf = ({ content: [block] }: ToolResponse): string =>
      block !== undefined && "text" in block ? block.text : "";
    for await (const response of kit.callToolFunction({ id: "1", name, input })) {
      responses.push(response);
      if (!response.isLast) onOutput(textOf(response));
    }
    return { pieces: responses.slice(0, -1).map(textOf), data: responses.at(-1)?.data };
  };
  const streaming = new Toolkit();
  for (const tool of local.tools({ stream: true })) streaming.registerToolFunction(tool, { chunks: "incremental" });
  const plain = new Toolkit();
  for (const tool of local.tools()) plain.registerToolFunction(tool);

  const script = `( echo one; ${wait}; read -p "Name? " x; rm go; echo "hi $x"; ${wait}; exit 3 )`;
  const first = listener(work.path, (text) => text === "one\n");
  const asked = await call(streaming, { script }, first.onOutput);
  expect(asked.pieces[0]).toBe("one\n");
  expect(asked.data).toMatchObject({ status: "running", waiting: "input", output: "one\nName? " });
  const second = listener(work.path, (text) => text === "Bob\nhi Bob\n");
  const answered = await call(streaming, { data: "Bob\\n" }, second.onOutput);
  expect(answered.pieces.join("")).toBe("Bob\nhi Bob\n");
  expect(answered.data).toMatchObject({ status: "ended", exit: 3 });

  expect(await call(plain, { script })).toEqual({ pieces: [], data: asked.data });
  const going = setInterval(() => writeFileSync(work.at("go"), ""), 100);
  expect(await call(plain, { data: "Bob\\n" })).toEqual({ pieces: [], data: answered.data });
  clearInterval(going);

  expect(() => local.tools({ streams: true } as never)).toThrow(/Did you mean "stream"/);
  // An error is one by both ways.
  expect(await call(streaming, { data: "x" })).toEqual({ pieces: [], data: undefined });
});
