import { type Decision, ToolError } from "@toolglot/core";
import { leftToCi } from "@toolglot/internal/testing";
import { expect, it } from "vitest";
import { addTool, tool } from "../support.ts";
import { sharedSandbox } from "../worker-sandbox.ts";

const sandbox = sharedSandbox("python", { tools: [addTool] });

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

it("should give a tool whose name has a dot as a member of an object, too", async () => {
  const tools = [
    tool("file.read", { path: { type: "string" } }, ({ path }: { path: string }) => `read ${path}`),
    tool("file.write", {}, () => "written"),
    tool("json.dump", {}, () => "dumped"),
    tool("file.class", {}, () => "class"),
  ];
  const run = await sandbox.run(
    `
try:
    file.delete("a")
except AttributeError as error:
    missing = str(error)
__result__ = [file.read("a"), file.write(), missing, repr(file), json.dumps([1]), json_dump(), file_class()]`,
    { tools },
  );
  expect(run.status === "ok" ? run.value : run.error).toEqual([
    ...["read a", "written", "file has no delete: there are read, write", "<tools file: read, write>"],
    ...["[1]", "dumped", "class"],
  ]);
});

it("should give a program every kind of tool and every kind of value", async () => {
  const seen: unknown[] = [];
  const tools = [
    tool("File.Read", { "file-path": { type: "string" }, class: { type: "integer", default: 1 } }, (input: unknown) => {
      seen.push(input);
      return input;
    }),
    tool(
      "optional",
      { a: { type: "string" }, b: { type: "string" }, c: { type: ["string", "null"] }, d: { default: { x: [1] } } },
      (input: unknown) => input,
      { required: ["a"] },
    ),
    tool("any", {}, (input: unknown) => input, { additionalProperties: true }),
    tool("stream", {}, async function* () {
      yield { part: 1 };
      yield { part: 2 };
    }),
    tool("nothing", {}, () => undefined),
    tool("data", {}, () => ({ text: "北京 🎉", list: [1, 2.5, null, true], nested: { __proto__: null, a: {} } })),
    tool("echo", { value: true }, ({ value }: { value: unknown }) => value),
  ];
  const run = await sandbox.run(
    `
e = echo(value={"t": (1, 2), "s": {2, 1}, "d": datetime(2024, 1, 2), "n": None, "deep": [[{"k": "é"}]]})
__result__ = [File_Read("a.txt"), File_Read(file_path="b", class_=2), optional("x"), optional("x", None, None), optional("x", b="y"),
    any_(k=1, other="z"), stream(), nothing(), data(), e, add.__name__, callable(add), add.__doc__]`,
    { tools },
  );
  const rest = { d: { x: [1] } };
  expect(run.status === "ok" ? run.value : run.error).toEqual([
    { "file-path": "a.txt", class: 1 },
    { "file-path": "b", class: 2 },
    { a: "x", ...rest },
    { a: "x", c: null, ...rest },
    { a: "x", b: "y", ...rest },
    { k: 1, other: "z" },
    { part: 2 },
    null,
    { text: "北京 🎉", list: [1, 2.5, null, true], nested: { a: {} } },
    { t: [1, 2], s: [1, 2], d: "2024-01-02T00:00:00", n: null, deep: [[{ k: "é" }]] },
    ...["add", true, "The tool add."],
  ]);
  expect(seen).toHaveLength(2);
});

it("should let tools of the run win over those of the sandbox", async (context) => {
  leftToCi(context);
  const run = await sandbox.run("__result__ = add(1)", { tools: [tool("add", { a: {} }, () => "other")] });
  expect(run).toMatchObject({ status: "ok", value: "other" });
});

it("should tell a program what a tool said, and of other errors no more than it should know", async () => {
  const tools = [
    tool("told", {}, () => {
      throw new ToolError("see /etc/orders and https://shop.example/x");
    }),
    tool("slipped", {}, async () => {
      throw Object.assign(new Error("ENOENT: open '/srv/secret/keys.json' at https://internal.example/a?token=1"), {
        token: "hunter2",
        cause: new Error("deep secret"),
      });
    }),
    tool("text", {}, () => Promise.reject("just text")),
    tool("odd", {}, () => Promise.reject({ message: "not an error" })),
    tool("circular", {}, () => {
      const value: Record<string, unknown> = {};
      value.self = value;
      return value;
    }),
    tool("promised", {}, () => ({ rows: [Promise.resolve(1)] })),
  ];
  const run = await sandbox.run(
    `
out = []
for f in (told, slipped, text, odd, circular, promised):
    try:
        f()
    except ToolError as error:
        out.append(str(error))
__result__ = out
slipped()`,
    { tools },
  );
  expect(run).toMatchObject({
    status: "error",
    error: { type: "ToolError", line: 9, callId: run.toolCalls[6]?.callId },
  });
  expect(run.toolCalls[6]?.callId).toMatch(/^run-\d+:7$/);
  const messages = run.toolCalls.map((call) => call.error?.message);
  expect(messages[0]).toBe("see /etc/orders and https://shop.example/x");
  expect(messages[1]).toBe("ENOENT: open [path] at [url]");
  expect(messages.slice(2, 6)).toEqual([
    "just text",
    "unknown error",
    "the tool's result cannot be written as JSON: self is part of a cycle, which has no JSON form (it was Object of 1: {self: <object>})",
    "the tool's result cannot be written as JSON: rows[0] is a promise: await it",
  ]);
  expect(run.toolCalls.every((call) => !call.ok && call.error?.type === "ToolError")).toBe(true);
  expect(JSON.stringify(run)).not.toMatch(/secret|hunter2|token|\.ts:\d/);
});

it("should observe calls in order, whatever the observers do", async (context) => {
  leftToCi(context);
  const events: string[] = [];
  const run = await sandbox.run("print('a')\nadd(1)\nprint('b')\n__result__ = add(2)", {
    callIdPrefix: "action",
    onLog: ({ text }) => {
      events.push(`log ${text}`);
      throw new Error("observer");
    },
    onToolCallStart: ({ callId, name, args }) => {
      events.push(`start ${callId} ${name} ${JSON.stringify(args)}`);
      throw new Error("observer");
    },
    onToolCall: ({ callId, ok }, value) => {
      events.push(`end ${callId} ${ok} ${value}`);
      throw new Error("observer");
    },
  });
  expect(run).toMatchObject({ status: "ok", value: 4 });
  expect(events).toEqual([
    "log a",
    'start action:1 add {"a":1,"b":2}',
    "end action:1 true 3",
    "log b",
    'start action:2 add {"a":2,"b":2}',
    "end action:2 true 4",
  ]);
});

it("should count waiting for tools and approvals to no other limit", async (context) => {
  leftToCi(context);
  // The approvals alone take longer than either limit; the rest is far below both, also on a busy machine.
  const limits = { toolTimeMs: 3000, timeoutMs: 3000 };
  const patient = sharedSandbox("python", { limits });
  const tools = [
    tool("slow", {}, () => sleep(150)),
    tool("delete", {}, () => sleep(10), { annotations: { destructiveHint: true } }),
  ];
  const run = await patient.run("slow()\nslow()\ndelete()\ndelete()\n__result__ = 1", {
    tools,
    approve: async () => {
      await sleep(1600);
      return { approved: true };
    },
  });
  expect(run).toMatchObject({ status: "ok", value: 1 });
  expect(run.stats.approvalMs).toBeGreaterThanOrEqual(3190);
  expect(run.stats.toolMs).toBeGreaterThanOrEqual(310);
  expect(run.stats.toolMs).toBeLessThan(3000);
  expect(run.stats.guestMs).toBeLessThan(3000);
});

it("should end a run whose tools take too long together, and abort the one at work", async () => {
  let aborted = false;
  const tools = [
    tool("hang", {}, (_: unknown, { signal }) => {
      signal.addEventListener("abort", () => {
        aborted = true;
      });
      return new Promise(() => {});
    }),
  ];
  const impatient = sharedSandbox("python", { limits: { toolTimeMs: 2000 } });
  const run = await impatient.run("add(1)\nhang()\n__result__ = 1", { tools: [addTool, ...tools] });
  expect(run).toMatchObject({
    status: "error",
    error: { type: "Timeout", line: 2, sourceLine: "hang()", message: "the tools took longer than 2 s together" },
    toolCalls: [{ ok: true }, { name: "hang", ok: false, error: { type: "Timeout" } }],
  });
  expect(aborted).toBe(true);
});

it("should ask before a call that needs it, and turn a denial into a ToolError", async () => {
  const asked: unknown[] = [];
  const ran: string[] = [];
  const remove = tool("remove", { id: { type: "integer" } }, ({ id }: { id: number }) => ran.push(`removed ${id}`), {
    annotations: { destructiveHint: true },
  });
  const code = `
try:
    remove(1)
except ToolError as error:
    print(error)
remove(2)
__result__ = 1`;
  const approve = async (request: { input?: unknown }): Promise<Decision> => {
    asked.push(request);
    return { approved: asked.length > 1 };
  };
  const run = await sandbox.run(code, { tools: [remove], approve, callIdPrefix: "a" });
  expect(run).toMatchObject({
    status: "ok",
    logs: [{ text: "remove was denied" }],
    toolCalls: [{ ok: false, ms: 0, error: { type: "Denied", message: "remove was denied" } }, { ok: true }],
  });
  expect(ran).toEqual(["removed 2"]);
  expect(asked[0]).toMatchObject({ kind: "tool-call", callId: "a:1", tool: "remove", input: { id: 1 } });
});

it("should deny what needs an answer when nobody is asked, or asking fails", async (context) => {
  leftToCi(context);
  const ran: string[] = [];
  const remove = tool("remove", { id: { type: "integer" } }, ({ id }: { id: number }) => ran.push(`removed ${id}`), {
    annotations: { destructiveHint: true },
  });
  const nobody = await sandbox.run("__result__ = remove(3)", { tools: [remove] });
  expect(nobody).toMatchObject({
    status: "error",
    error: { type: "ToolError", line: 1, callId: expect.stringMatching(/:1$/) },
    toolCalls: [{ ok: false, error: { type: "Denied" } }],
  });
  const failing = await sandbox.run("__result__ = remove(4)", {
    tools: [remove],
    approve: () => Promise.reject<Decision>(new Error("host secret")),
  });
  expect(failing).toMatchObject({
    status: "error",
    error: { type: "ToolError" },
    toolCalls: [{ error: { type: "Denied" } }],
  });
  expect(JSON.stringify(failing)).not.toContain("host secret");
  expect(ran).toEqual([]);
});

it("should end a run by its signal, before, and while it computes", async () => {
  const before = await sandbox.run("__result__ = 1", { signal: AbortSignal.abort() });
  expect(before).toMatchObject({ status: "error", error: { type: "Aborted" } });
  const computing = new AbortController();
  const loop = await sandbox.run("print('go')\nwhile True:\n    pass", {
    signal: computing.signal,
    onLog: () => computing.abort(new Error("host reason")),
  });
  expect(loop).toMatchObject({ status: "error", error: { type: "Aborted" }, logs: [{ text: "go" }] });
  expect(JSON.stringify(loop)).not.toContain("host reason");
});

it("should end a run by its signal while a tool or an approval waits", async (context) => {
  leftToCi(context);
  const calling = new AbortController();
  const hang = tool("hang", {}, () => {
    calling.abort(new Error("host reason"));
    return new Promise(() => {});
  });
  const call = await sandbox.run("hang()", { tools: [hang], signal: calling.signal });
  expect(call).toMatchObject({ error: { type: "Aborted" }, toolCalls: [{ name: "hang", error: { type: "Aborted" } }] });
  const asking = new AbortController();
  const remove = tool("remove", {}, () => 1, { annotations: { requiresApproval: true } });
  const ask = await sandbox.run("remove()", {
    tools: [remove],
    signal: asking.signal,
    approve: () => {
      asking.abort(new Error("host reason"));
      return new Promise<Decision>(() => {});
    },
  });
  expect(ask).toMatchObject({ error: { type: "Aborted" } });
  expect(JSON.stringify([call, ask])).not.toContain("host reason");
});
