import {
  type AgentOptions,
  createAgent,
  nativeProtocol,
  parseRecording,
  recordRun,
  replayRun,
  stringifyRecording,
} from "@toolglot/agent";
import { scriptedModel } from "@toolglot/agent/testing";
import type { Model, ModelPart } from "@toolglot/core";
import { growthOf } from "@toolglot/internal/testing/growth";
import { tamPrompt } from "@toolglot/prompts/tam";
import { tamProtocol } from "@toolglot/tam";
import fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import { ArgumentStream } from "../src/loop/argument-stream.ts";
import { collect, only } from "./support/collect.ts";
import { manualRuntime } from "./support/manual-runtime.ts";
import { definitions, recordingExecutor } from "./support/tools.ts";

const options = (model: unknown, more: Omit<Partial<AgentOptions>, "executor"> = {}) => ({
  model: model as Model,
  protocol: nativeProtocol(),
  executor: recordingExecutor(),
  tools: definitions,
  ...more,
});
const call = (more: object): unknown => ({
  type: "call",
  call: { id: "1", name: "add", input: {}, protocol: "native", ...more },
});

describe("parts of a model", () => {
  it.each<[string, unknown, RegExp]>([
    [
      "another library's word",
      { type: "call", call: { id: "1", name: "add", arguments: "{}", protocol: "native" } },
      /"call", call, has no field "arguments". Did you mean "input"\?/,
    ],
    ["no input", call({ input: undefined }), /needs input: an object, or its JSON text, not undefined/],
    [
      "a misspelt input",
      { type: "call", call: { id: "1", name: "add", inputs: {}, protocol: "native" } },
      /"inputs". Did you mean "input"/,
    ],
    ["a name that is none", call({ name: 3 }), /needs name: a text, not 3/],
    ["no call", { type: "call", id: "1", name: "add", input: {} }, /has no field "id". It has: call/],
    [
      "a reason that there is not",
      { type: "finish", reason: "tool_calls" },
      /needs reason: "stop" or .*, not "tool_calls".* mean "calls"/,
    ],
    ["a reason that is misspelt", { type: "finish", reason: "lenght" }, /mean "length"/],
    [
      "usage in other words",
      { type: "finish", reason: "stop", usage: { prompt_tokens: 3 } },
      /"prompt_tokens". Did you mean "inputTokens"/,
    ],
    [
      "usage that is no number",
      { type: "finish", reason: "stop", usage: { inputTokens: "3" } },
      /needs inputTokens: a number, not "3"/,
    ],
    ["reasoning without text", { type: "reasoning", content: "x" }, /"content". Did you mean "text"/],
    [
      "a text as an object",
      { type: "text", text: "Hello." },
      /type "text", which is not known. Did you mean a bare string/,
    ],
    ["a call of another library", { type: "tool-call", toolCallId: "1", toolName: "add", input: {} }, /mean "call"/],
    ["a misspelt type", { type: "reasonning", text: "x" }, /mean "reasoning"/],
  ])("should run nothing for %s, and say what is meant", async (_, part, message) => {
    let asked = 0;
    const model = () => {
      asked += 1;
      return [call({ id: "0" }), part, { type: "finish", reason: "calls" }];
    };
    const given = options(model);
    const run = createAgent(given).run("Go");
    expect(only(await collect(run), "warning").map((event) => event.message)).toEqual([expect.stringMatching(message)]);
    expect(await run.result).toMatchObject({
      status: "error",
      error: { code: "agent/model-failed", message: expect.stringMatching(message) },
    });
    expect([asked, given.executor.ran]).toEqual([1, []]);
  });

  it("should be named once for each kind when they mean nothing, and left out", async () => {
    const run = createAgent(
      options(async () => ["Hel", { type: "source", url: "u" }, { type: "source" }, 7, null, "lo."]),
    ).run("Go");
    const warnings = only(await collect(run), "warning");
    expect(warnings.map((event) => event.code)).toEqual(Array(3).fill("agent/unknown-part"));
    expect(warnings[0]?.message).toContain('"source"');
    expect(await run.result).toMatchObject({ status: "answered", text: "Hello." });
  });

  it.each<[string, () => unknown]>([
    ["a list", () => ["Hel", "lo."]],
    ["a promise of a list", async () => ["Hello."]],
    ["a text", () => "Hello."],
    ["a promise of a stream", async () => scriptedModel(["Hello."])({ messages: [] }, new AbortController().signal)],
    ["a promise of a promise", () => Promise.resolve(Promise.resolve(new Set(["Hello."])))],
  ])("should be taken from %s, and be recorded", async (_, model) => {
    const run = recordRun(options(model), "Go");
    expect(await run.result).toMatchObject({ status: "answered", text: "Hello." });
    const played = replayRun(run.recording, { protocol: nativeProtocol() });
    expect(await collect(played)).toEqual(await collect(run));
  });

  it.each([undefined, 5, { text: "Hello." }])("should not be looked for in %j", async (given) => {
    const model = vi.fn(() => given);
    const { status, error } = await createAgent(options(model)).run("Go").result;
    expect([status, model.mock.calls.length]).toEqual(["error", 1]);
    expect(error?.message).toMatch(/async iterable of parts, a list of them, or a promise/);
  });
});

describe("a request that fails", () => {
  const failed = (message: string, more: object = {}): Error => Object.assign(new Error(message), more);
  /** Fails with these, then answers. */
  const failing = (...errors: unknown[]) => {
    const model = async () => {
      model.asked += 1;
      if (errors.length > 0) throw errors.shift();
      return ["Hello."];
    };
    model.asked = 0;
    return model;
  };
  const unlimited = { attempts: 9, baseMs: 1, maxMs: 10_000 };

  it("should be made again, with waits that double, up to so many attempts", async () => {
    const runtime = manualRuntime();
    const model = failing(...Array.from({ length: 4 }, () => failed("No.", { status: 429 })));
    const run = createAgent(options(model, { runtime })).run("Go");
    for (const [asked, ms] of [
      [1, 500],
      [2, 1000],
    ] as const) {
      await runtime.until(() => runtime.waiting("retry"));
      runtime.pass(ms - 1);
      await new Promise((resolve) => setImmediate(resolve));
      expect(model.asked).toBe(asked);
      runtime.pass(1);
    }
    expect(await run.result).toMatchObject({ status: "error", error: { message: "No." }, turns: 1 });
    const told = only(await collect(run), "model-retried");
    expect(told).toMatchObject([
      { attempt: 1, delayMs: 500, reason: "No." },
      { attempt: 2, delayMs: 1000 },
    ]);
    expect(model.asked).toBe(3);
  });

  it.each<[string, object, number]>([
    ["seconds", { status: 429, headers: { "Retry-After": "2" } }, 2000],
    ["milliseconds", { statusCode: 503, responseHeaders: { "retry-after-ms": "1500", "retry-after": "2" } }, 1500],
    ["a date", { status: 529, headers: new Headers({ "retry-after": new Date(1_004_000).toUTCString() }) }, 4000],
    ["a client's answer", { response: { status: 429, headers: { "retry-after": "3" } } }, 3000],
  ])("should wait as long as the server wants, in %s", async (_, more, delayMs) => {
    const runtime = manualRuntime();
    const run = createAgent(options(failing(failed("Busy.", more)), { runtime })).run("Go");
    await runtime.until(() => runtime.waiting("retry"));
    runtime.pass(delayMs);
    expect(await run.result).toMatchObject({ status: "answered" });
    expect(only(await collect(run), "model-retried")).toMatchObject([{ delayMs }]);
  });

  it.each<[string, unknown, number]>([
    ["an overloaded server", failed("529", { status: 529, error: { type: "overloaded_error" } }), 4],
    ["a throttle of AWS", failed("Slow down", { name: "ThrottlingException", $metadata: { httpStatusCode: 400 } }), 1],
    ["a throttle with its status", failed("Slow down", { $metadata: { httpStatusCode: 429 } }), 4],
    ["a connection that was reset", failed("read ECONNRESET", { code: "ECONNRESET" }), 4],
    [
      "fetch, with its cause",
      new TypeError("fetch failed", { cause: failed("other side closed", { code: "UND_ERR_SOCKET" }) }),
      4,
    ],
    ["a browser's fetch", new TypeError("Load failed"), 4],
    ["a fault of the server", failed("Bad gateway", { statusCode: 502 }), 4],
    ["an error that says nothing", failed("?"), 2],
    ["a key that is refused", failed("No.", { status: 401 }), 1],
    ["a wrong request", failed("No.", { status: 400 }), 1],
    ["money", failed("You exceeded your current quota", { status: 429, code: "insufficient_quota" }), 1],
    ["a bug", new TypeError("x is not a function"), 1],
    ["a wait that is too long", failed("Later.", { status: 429, headers: { "retry-after": "60" } }), 1],
  ])("should be made again or not after %s", async (_, error, requests) => {
    const model = failing(...Array(9).fill(error));
    await createAgent(options(model, { retry: { ...unlimited, attempts: 4 } })).run("Go").result;
    expect(model.asked).toBe(requests);
  });

  it("should not be made again after a part, nor when the host wants none", async () => {
    let asked = 0;
    const broken = async function* () {
      asked += 1;
      yield "Hel";
      throw failed("read ECONNRESET", { status: 503 });
    };
    expect(await createAgent(options(broken)).run("Go").result).toMatchObject({ status: "error", text: "Hel" });
    const model = failing(failed("No.", { status: 503 }));
    expect((await createAgent(options(model, { retry: { attempts: 1 } })).run("Go").result).status).toBe("error");
    expect([asked, model.asked]).toEqual([1, 1]);
    expect(() => createAgent(options(model, { retry: { attempts: 0 } }))).toThrow(/attempts/);
    expect(() => createAgent(options(model, { retry: { retries: 1 } as never }))).toThrow(/retries/);
  });

  it.each(["signal", "limit", "steer"] as const)("should end its wait by %s, and be played again so", async (way) => {
    const runtime = manualRuntime();
    const controller = new AbortController();
    const given = options(failing(failed("Busy.", { status: 429 })), { runtime, limits: { timeMs: 200 } });
    const run = recordRun(given, "Go", { signal: controller.signal });
    await runtime.until(() => runtime.waiting("retry"));
    if (way === "signal") controller.abort();
    else if (way === "limit") runtime.pass(200);
    else run.steer("Never mind.", { interrupt: true });
    const result = await run.result;
    expect(result.status).toBe({ signal: "aborted", limit: "limit", steer: "answered" }[way]);
    const played = replayRun(parseRecording(stringifyRecording(run.recording)), { protocol: nativeProtocol() });
    expect(await collect(played)).toEqual(await collect(run));
    expect(played.divergence).toBeUndefined();
  });

  it.each([429, 401, 413, undefined])("should be played again with status %s as it was", async (status) => {
    const given = options(
      failing(failed("No.", { status }), failed("No.", { status: 503, headers: { "retry-after-ms": "3" } })),
      { retry: unlimited },
    );
    const run = recordRun(given, "Go");
    await run.result;
    const played = replayRun(parseRecording(stringifyRecording(run.recording)), { protocol: nativeProtocol() });
    expect(await collect(played)).toEqual(await collect(run));
    expect(played.divergence).toBeUndefined();
  });

  it("should be too long when the host says so, and only then", async () => {
    const own = (error: unknown) =>
      (error as Error).message === "E-77" || ((error as Error).message.includes("window") ? false : undefined);
    const results = [];
    for (const message of ["E-77", "exceeds the context window", "prompt is too long"]) {
      const run = recordRun(
        options(failing(failed(message, { status: 400 })), { context: { isContextOverflow: own } }),
        "Go",
      );
      results.push((await run.result).error?.code);
      const played = replayRun(run.recording, { protocol: nativeProtocol() });
      expect(await collect(played)).toEqual(await collect(run));
    }
    expect(results).toEqual(["agent/context-overflow", "agent/model-failed", "agent/context-overflow"]);
  });
});

describe("the arguments of a native call", () => {
  const pieces = (text: string, size: number, id = "1", name = "add"): ModelPart[] => [
    { type: "call-delta", id, name, text: "" },
    ...Array.from(
      { length: Math.ceil(text.length / size) },
      (_, at): ModelPart => ({ type: "call-delta", id, text: text.slice(at * size, (at + 1) * size) }),
    ),
  ];

  it("should be told while they come, two calls at once, and be run only as a whole", async () => {
    const [a, b] = [
      { path: 'a "b".md', content: "x\ny😀".repeat(50), n: 3 },
      { list: [{ a: "}" }, 2], on: true },
    ];
    const [first, second] = [pieces(JSON.stringify(a), 7), pieces(JSON.stringify(b), 5, "2", "store")];
    const mixed = Array.from({ length: first.length }, (_, at) =>
      [first[at], second[at]].flatMap((part) => part ?? []),
    ).flat();
    const given = options(
      scriptedModel([
        [
          ...mixed,
          call({ input: a }),
          call({ id: "2", name: "store", input: JSON.stringify(b) }),
          { type: "finish", reason: "calls" },
        ] as ModelPart[],
        "Done.",
      ]),
    );
    const events = await collect(createAgent(given).run("Go"));
    const told = only(events, "block-delta");
    const startAt = events.findIndex(({ type }) => type === "action-start");
    expect(events.findLastIndex(({ type }) => type === "block-delta")).toBeLessThan(startAt);
    expect(told.filter(({ tool }) => tool).map(({ call: at, tool, param, text }) => [at, tool, param, text])).toEqual([
      [0, "add", undefined, ""],
      [1, "store", undefined, ""],
    ]);
    const joined = (at: number, param: string) =>
      told
        .filter((delta) => delta.call === at && delta.param === param)
        .map(({ text }) => text)
        .join("");
    expect([joined(0, "path"), joined(0, "content"), joined(0, "n")]).toEqual([a.path, a.content, "3"]);
    expect([joined(1, "list"), joined(1, "on")]).toEqual([JSON.stringify(b.list), "true"]);
    expect(told.filter(({ param }) => param === "content").length).toBeGreaterThan(20);
    expect(told.filter(({ param }) => param === "list")).toHaveLength(1);
    expect(given.executor.ran).toMatchObject([{ calls: [{ input: a }, { input: b }] }]);
  });

  it("should run nothing without their call, and not be told where calls are text", async () => {
    const parts = [...pieces('{"a":1}', 2), "Done."];
    const given = options(scriptedModel([parts]));
    expect((await createAgent(given).run("Go").result).status).toBe("answered");
    expect(given.executor.ran).toEqual([]);
    const tam = createAgent(
      options(scriptedModel([parts]), { protocol: tamProtocol({ prompt: tamPrompt }) as never }),
    ).run("Go");
    expect(only(await collect(tam), "block-delta")).toEqual([]);
  });

  it("should be as those of a text protocol", async () => {
    const text = "<|[REQUEST_TOOL]|>\ncommand_1:»»»add«««\na_1:»»»some text«««\n<|[END_TOOL]|>";
    const asText = createAgent(
      options(scriptedModel([text, "Done."]), { protocol: tamProtocol({ prompt: tamPrompt }) as never }),
    ).run("Go");
    const fields = only(await collect(asText), "block-delta").filter((delta) => delta.call !== undefined);
    expect(fields.map(({ call: at, tool, param }) => [at, tool, param])).toEqual(
      expect.arrayContaining([
        [0, "add", undefined],
        [0, undefined, "a"],
      ]),
    );
  });

  it("should be the same for any pieces, whatever comes", () => {
    const read = (chunks: readonly string[]): Map<string, string> => {
      const found = new Map<string, string>();
      const stream = new ArgumentStream((param, text) => found.set(param, (found.get(param) ?? "") + text));
      for (const chunk of chunks) stream.feed(chunk);
      return found;
    };
    const text = fc.string({
      unit: fc.constantFrom("a", '"', "\\", "\n", "😀", "{", "}", "[", ",", ":", " ", "\u0001"),
    });
    const value = fc.oneof(text, fc.jsonValue({ maxDepth: 2 }));
    fc.assert(
      fc.property(
        fc.dictionary(text, value),
        fc.integer({ min: 1, max: 9 }),
        fc.constantFrom(0, 2),
        (input, size, indent) => {
          const json = JSON.stringify(input, null, indent);
          const found = read(json.match(new RegExp(`[^]{1,${size}}`, "g")) ?? []);
          const wanted = Object.entries(JSON.parse(json) as object);
          for (const [key, one] of wanted) {
            const said = found.get(key) ?? "";
            expect(typeof one === "string" ? said : JSON.parse(said)).toEqual(one);
          }
          expect([...found.keys()].every((key) => Object.hasOwn(input, key))).toBe(true);
          expect(read([json])).toEqual(found);
        },
      ),
    );
    fc.assert(fc.property(fc.string(), (odd) => void read([odd, `{${odd}`, `{"a":${odd}`])));
  });

  it("should take time in proportion to their length", () => {
    const growth = growthOf(
      (pieces) => () => {
        let told = 0;
        const stream = new ArgumentStream(() => {
          told += 1;
        });
        stream.feed('{"a":[');
        for (let at = 0; at < pieces; at += 1) stream.feed('"\\"x",');
        stream.feed('0],"b":"');
        for (let at = 0; at < pieces; at += 1) stream.feed("\\n");
        stream.feed('"}');
        expect(told).toBe(pieces + 1);
      },
      40_000,
    );
    expect(growth).toBeUndefined();
  });
});
