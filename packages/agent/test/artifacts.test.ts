import {
  type AgentOptions,
  artifactTools,
  createAgent,
  memoryArtifacts,
  nativeProtocol,
  parseRecording,
  recordRun,
  replayRun,
  stringifyRecording,
} from "@toolglot/agent";
import { type ScriptedTurn, scriptedModel } from "@toolglot/agent/testing";
import { attpProtocol } from "@toolglot/attp";
import {
  type ArtifactStore,
  type ContentBlock,
  type Message,
  type MessagePart,
  type ModelPart,
  type ModelRequest,
  messageText,
  ToolError,
  type ToolProtocol,
} from "@toolglot/core";
import { executorContext } from "@toolglot/core/executing";
import { attpPrompt } from "@toolglot/prompts/attp";
import { tamPrompt } from "@toolglot/prompts/tam";
import { createSandbox, sandboxExecutor } from "@toolglot/sandbox";
import { tamProtocol } from "@toolglot/tam";
import { Toolkit, toolkitExecutor } from "@toolglot/toolkit";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { bracketProtocol } from "./support/bracket-protocol.ts";
import { collect, only } from "./support/collect.ts";
import { definitions, recordingExecutor } from "./support/tools.ts";

/** Texts in which every place differs. */
const long = (length: number): string =>
  Array.from({ length }, (_, at) => String.fromCodePoint(0x4e00 + (at % 9973))).join("");
const whole = long(3000);
const call = (name: string, input: unknown): ModelPart[] => [
  { type: "call", call: { id: "", name, input, protocol: "native" } },
  { type: "finish", reason: "calls" },
];
const add = call("add", {});

const resultsOf = ({ messages }: ModelRequest) =>
  messages.flatMap(({ parts }) => parts.flatMap((part) => (part.type === "result" ? [part.result] : [])));
const textOf = (content: readonly ContentBlock[]): string =>
  content.map((block) => ("text" in block ? block.text : "")).join("");
const idIn = (text: string): string => /art_[0-9a-f]+/.exec(text)?.[0] ?? "none";
/** Asks for the artifact that the last result names. */
const readOn =
  (more: object = {}): ScriptedTurn =>
  (request) =>
    call("read_artifact", { id: idIn(textOf(resultsOf(request).at(-1)?.content ?? [])), ...more });

function optionsFor(turns: readonly ScriptedTurn[], more: Partial<AgentOptions> = {}) {
  const model = scriptedModel(turns);
  const executor = recordingExecutor(({ input }) => (input as { text?: string }).text ?? whole);
  const context = { maxResultChars: 1000, ...more.context };
  const options: AgentOptions = { model, protocol: nativeProtocol(), executor, tools: definitions, ...more, context };
  return options as typeof options & { model: typeof model; executor: typeof executor };
}

describe("a result that was cut", () => {
  it("should name the tool that reads the rest, which is there from then on, and which the loop runs", async () => {
    const options = optionsFor([add, readOn({ offset: 600, length: 50 }), "Done."]);
    const run = createAgent(options).run("Go");
    const events = await collect(run);
    const { model, executor } = options;
    const names = model.requests.map(({ tools = [] }) => tools.some(({ name }) => name === "read_artifact"));
    expect(names).toEqual([false, true, true]);
    expect(only(events, "tools-changed")).toMatchObject([{ stepIndex: 1, added: ["read_artifact"] }]);
    const [cut] = resultsOf(model.requests[1] as ModelRequest);
    const [head = "", note = "", tail = ""] = textOf(cut?.content ?? []).split("\n\n");
    const text = JSON.stringify(whole);
    expect([head, tail]).toEqual([text.slice(0, 600), text.slice(-400)]);
    expect(note).toContain(`${text.length - 1000} of ${text.length} characters were left out`);
    expect(note).toContain("offset 600");
    expect((await run.result).results[1]?.data).toEqual({
      text: text.slice(600, 650),
      offset: 600,
      total: text.length,
    });
    expect(executor.ran).toHaveLength(1);
    expect(only(events, "tool-call-end").map(({ name, status }) => `${name} ${status}`)).toContain("read_artifact ok");
  });

  it("should be one artifact with all results of the same text, and none of another run's", async () => {
    const store = memoryArtifacts();
    const context = { artifacts: store };
    const first = optionsFor([add, add, "Done."], { context });
    await createAgent(first).run("Go").result;
    const ids = resultsOf(first.model.requests[2] as ModelRequest).map(({ content }) => idIn(textOf(content)));
    expect(new Set(ids).size).toBe(1);
    const turns = [call("add", { text: long(2000) }), call("read_artifact", { id: ids[0] }), "Done."];
    const { results } = await createAgent(optionsFor(turns, { context })).run("Go").result;
    expect(results[1]).toMatchObject({ status: "error", error: { type: "NotFound" } });
  });

  it("should be read by a plan, too", async () => {
    const tam = (...lines: string[]): string => `<|[REQUEST_TOOL]|>\n${lines.join("\n")}\n<|[END_TOOL]|>`;
    const read: ScriptedTurn = ({ messages }) =>
      tam(
        "command_1:»»»add«««",
        "command_2:»»»read_artifact«««",
        `id_2:»»»${idIn(messages.map(messageText).join())}«««`,
        "offset_2:»»»7«««",
        "length_2:»»»5«««",
      );
    const toolkit = new Toolkit();
    toolkit.registerToolFunction({ ...definitions[0], execute: () => whole } as never);
    const options = optionsFor([tam("command:»»»add«««"), read, "Done."], {
      protocol: tamProtocol({ prompt: tamPrompt }) as ToolProtocol,
      executor: toolkitExecutor(toolkit),
      tools: toolkit,
    });
    const { results } = await createAgent(options).run("Go").result;
    expect(results.map(({ name }) => name)).toEqual(["add", "add", "read_artifact"]);
    expect(results[2]?.data).toMatchObject({ text: whole.slice(7, 12), offset: 7 });
    expect(messageText(options.model.requests[1]?.messages[0] as Message)).toContain("read_artifact");
    expect(messageText(options.model.requests[0]?.messages[0] as Message)).not.toContain("read_artifact");
  });

  it.each<[string, Partial<AgentOptions>]>([
    ["nothing is kept", { context: { artifacts: false } }],
    ["the store keeps nothing", { context: { artifacts: { put: () => undefined, read: () => undefined } } }],
    [
      "the store fails",
      { context: { artifacts: { put: () => Promise.reject(new Error("full")), read: () => undefined } } },
    ],
    ["programs have no tool for it", { protocol: attpProtocol({ prompt: attpPrompt }) as ToolProtocol }],
  ])("should say that the rest can't be read when %s", async (_, more) => {
    const options = optionsFor(["Done."], more);
    const result = {
      callId: "c",
      name: "add",
      status: "ok" as const,
      content: [{ type: "text" as const, text: whole }],
    };
    const messages: Message[] = [
      { role: "user", trust: "user", parts: [{ type: "text", text: "Go" }] },
      { role: "tool", trust: "untrusted", parts: [{ type: "result", result }] },
    ];
    const run = createAgent(options).run(messages);
    const events = await collect(run);
    expect((await run.result).status).toBe("answered");
    const shown = JSON.stringify(options.model.requests[0]);
    expect(shown).toContain("can't be read");
    expect(shown).not.toContain("read_artifact");
    const isFailing = _ === "the store fails";
    expect(only(events, "warning").map(({ code }) => code)).toEqual(isFailing ? ["agent/artifacts-failed"] : []);
  });

  it("should be there for the first request of a conversation that goes on", async () => {
    const first = await createAgent(optionsFor([add, "Done."])).run("Go").result;
    const options = optionsFor([readOn(), "Done."]);
    const more: Message = { role: "user", trust: "user", parts: [{ type: "text", text: "And?" }] };
    const { results } = await createAgent(options).run([...first.transcript.messages, more]).result;
    expect(options.model.requests[0]?.tools?.at(-1)?.name).toBe("read_artifact");
    expect(results[0]?.status).toBe("ok");
  });
});

describe("read_artifact", () => {
  it("should give all of any text, piece by piece, and cut no character in two", async () => {
    const text = fc.string({ unit: fc.constantFrom("a", "é", "😀", "字"), minLength: 1, maxLength: 60 });
    await fc.assert(
      fc.asyncProperty(text, fc.integer({ min: 0, max: 7 }), async (all, length) => {
        const store = memoryArtifacts();
        const id = await store.put(all, { runId: "r" });
        const [tool] = artifactTools(store);
        let read = "";
        for (let turn = 0; read.length < all.length; turn += 1) {
          expect(turn).toBeLessThanOrEqual(all.length);
          const piece = (await tool?.execute({ id, offset: read.length, length }, {} as never)) as {
            text: string;
            total: number;
          };
          expect(piece.total).toBe(all.length);
          expect(piece.text).not.toMatch(/\p{Cs}/u);
          read += piece.text;
        }
        expect(read).toBe(all);
      }),
      { numRuns: 40 },
    );
  });

  it("should give 20,000 characters at most, and the rest of the arguments no power", async () => {
    const store = memoryArtifacts();
    const id = await store.put("x".repeat(30_000), { runId: "r" });
    const [tool] = artifactTools(store);
    expect(await tool?.execute({ id, length: 1e9 }, {} as never)).toMatchObject({
      text: "x".repeat(20_000),
      total: 30_000,
    });
    expect(await tool?.execute({ id, offset: 1e9 }, {} as never)).toMatchObject({ text: "", total: 30_000 });
    for (const input of [undefined, "x", [], {}, { id: 3 }, { id, offset: -1 }, { id, length: "5" }, { id: "art_0" }]) {
      await expect(async () => tool?.execute(input, {} as never)).rejects.toSatisfy((error) =>
        ToolError.isInstance(error),
      );
    }
  });

  it("should be a tool of programs, which read their own run's artifacts only", async () => {
    const store = memoryArtifacts();
    const id = await store.put(whole, { runId: "mine" });
    await using sandbox = createSandbox({ language: "javascript" });
    const executor = sandboxExecutor(sandbox, { tools: artifactTools(store) });
    const source = `__result__ = (await read_artifact({ id: ${JSON.stringify(id)}, offset: 5, length: 3 })).text`;
    const run = (runId: string) =>
      executor.execute(
        { kind: "code", id: "c", language: "javascript", source, span: { start: 0, end: 0 } },
        executorContext({ runId }),
      );
    expect((await run("mine"))[0]).toMatchObject({ status: "ok", data: whole.slice(5, 8) });
    expect((await run("another"))[0]).toMatchObject({
      status: "error",
      error: { message: expect.stringContaining(id ?? "") },
    });
  });

  it("should be named to a model that writes programs, when they have it", async () => {
    const store = memoryArtifacts();
    const options = optionsFor(["Done."], {
      protocol: attpProtocol({ prompt: attpPrompt }) as ToolProtocol,
      tools: [...definitions, ...artifactTools(store)],
      context: { artifacts: store },
    });
    const result = { callId: "c", status: "ok" as const, content: [{ type: "text" as const, text: whole }] };
    const parts: MessagePart[] = [{ type: "result", result }];
    await createAgent(options).run([{ role: "tool", trust: "untrusted", parts }]).result;
    const id = idIn(JSON.stringify(options.model.requests[0]));
    expect(await store.read(id, { offset: 0, length: 9000 })).toEqual({ text: whole, total: whole.length });
  });

  it("should be the host's own where there is one, whatever runs it", async () => {
    const store = memoryArtifacts();
    const toolkit = new Toolkit();
    for (const tool of artifactTools(store)) toolkit.registerToolFunction(tool);
    toolkit.registerToolFunction({ ...definitions[0], execute: () => whole } as never);
    const options = optionsFor([add, readOn({ length: 4 }), "Done."], {
      context: { artifacts: store },
      executor: toolkitExecutor(toolkit),
      tools: toolkit,
    });
    const run = createAgent(options).run("Go");
    expect(only(await collect(run), "warning")).toEqual([]);
    expect((await run.result).results[1]?.data).toMatchObject({ text: whole.slice(0, 4) });
    expect(options.model.requests[1]?.tools?.filter(({ name }) => name === "read_artifact")).toHaveLength(1);
  });
});

describe("memoryArtifacts", () => {
  it("should put out the oldest first, and never keep what is too large", async () => {
    const store = memoryArtifacts({ maxBytes: 40 });
    const about = { runId: "r" };
    const ids = [];
    for (const text of ["aaaaaaaa", "bbbbbbbb", "aaaaaaaa", "cccccccc"]) ids.push(await store.put(text, about));
    const texts = ids.map(async (id) => (await store.read(id ?? "", { offset: 0, length: 9 }))?.text);
    expect(await Promise.all(texts)).toEqual(["aaaaaaaa", undefined, "aaaaaaaa", "cccccccc"]);
    expect(await store.put("d".repeat(21), about)).toBeUndefined();
    expect(() => memoryArtifacts({ maxBytes: 0 })).toThrow(TypeError);
  });

  it("should be checked where it is given", () => {
    expect(() => artifactTools({} as never)).toThrow(/memoryArtifacts/);
    expect(() => createAgent(optionsFor([], { context: { artifacts: true as never } }))).toThrow(/memoryArtifacts/);
  });
});

describe("dropOldResults", () => {
  it("should name the artifact, whose tool is in the same request", async () => {
    const turns = [add, ...Array.from({ length: 4 }, (_, at) => call("add", { text: long(500) + at }))];
    const options = optionsFor([...turns, "Done."], { context: { window: 2000, reserve: 100, maxResultChars: 5000 } });
    const run = createAgent(options).run("Go");
    const events = await collect(run);
    expect(only(events, "warning")).toEqual([]);
    const step = only(events, "compaction")[0]?.stepIndex ?? -1;
    const request = options.model.requests[step] as ModelRequest;
    const [dropped] = resultsOf(request);
    expect(textOf(dropped?.content ?? [])).toMatch(
      /^\[The result of add had 3002 characters.*art_[0-9a-f]+ with read_artifact/,
    );
    expect(request.tools?.at(-1)?.name).toBe("read_artifact");
    expect(options.model.requests[step - 1]?.tools?.at(-1)?.name).not.toBe("read_artifact");
  });
});

describe("context.estimate", () => {
  it("should decide when there is no room, and count declared tools", async () => {
    const seen: number[][] = [];
    const estimate = (messages: readonly Message[], tools: readonly unknown[]): number => {
      seen.push([messages.length, tools.length]);
      return messages.length * 100;
    };
    const options = optionsFor([add, add, add, "Done."], { context: { window: 500, reserve: 100, estimate } });
    const events = await collect(createAgent(options).run("Go"));
    expect(only(events, "compaction")[0]).toMatchObject({ before: 500, after: expect.any(Number) });
    expect(Math.max(...options.model.requests.map(({ messages }) => messages.length))).toBeLessThanOrEqual(4);
    expect(seen[0]).toEqual([1, definitions.length]);
  });

  it.each([
    () => Number.NaN,
    () => -1,
    () => "many" as unknown as number,
    () => {
      throw new Error("broken");
    },
  ])("should not be used when it gives nonsense", async (estimate) => {
    const run = createAgent(optionsFor(["Done."], { context: { window: 5000, estimate } })).run("Go");
    expect(only(await collect(run), "warning")).toMatchObject([{ code: "agent/estimate-failed" }]);
    expect((await run.result).status).toBe("answered");
  });

  it("should by default count a file as 1,000 tokens, whatever its size", async () => {
    const data = "A".repeat(100_000);
    const files: MessagePart[] = [{ type: "file", mediaType: "image/png", data }];
    const image = { type: "image" as const, mediaType: "image/png", data };
    const message: Message = { role: "user", trust: "user", parts: [...files, { type: "text", text: "Go" }] };
    const executor = recordingExecutor();
    executor.execute = async (action) =>
      action.kind === "calls"
        ? action.calls.map(({ id, name }) => ({ callId: id, name, status: "ok", content: [image] }))
        : [];
    const at = async (window: number) => {
      const run = createAgent(optionsFor([add, "Done."], { executor, context: { window, reserve: 0 } })).run([message]);
      return only(await collect(run), "compaction").length;
    };
    expect(await at(2300)).toBe(0);
    expect(await at(1900)).toBe(1);
  });

  it("should be a function", () => {
    expect(() => createAgent(optionsFor([], { context: { estimate: 3 as never } }))).toThrow(/estimate/);
  });
});

it.each<[string, () => Partial<AgentOptions>]>([
  ["memory", () => ({})],
  ["a host's store", () => ({ context: { artifacts: memoryArtifacts() } })],
  ["no store", () => ({ context: { artifacts: false } })],
  [
    "a store that fails",
    () => ({
      context: {
        artifacts: {
          put: (text: string) => memoryArtifacts().put(text, { runId: "?" }),
          read: () => Promise.reject(new Error("gone")),
        } satisfies ArtifactStore,
      },
    }),
  ],
  [
    "an estimate of the host's",
    () => ({
      context: { window: 900, reserve: 100, estimate: (messages: readonly Message[]) => messages.length * 150 },
    }),
  ],
])("a run with %s should be played again as it was", async (_, more) => {
  const turns = [
    add,
    readOn({ offset: 5, length: 5 }),
    call("read_artifact", { id: 3 }),
    call("add", { text: long(500) }),
    add,
    "Done.",
  ];
  for (const protocol of [nativeProtocol(), bracketProtocol()]) {
    const script = protocol.declaresTools ? turns : ["[[call add {}]]", "[[call add {}]]", "Done."];
    const run = recordRun(optionsFor(script, { protocol, ...more() }), "Go");
    const events = await collect(run);
    const played = replayRun(parseRecording(stringifyRecording(run.recording)), { protocol });
    expect(await collect(played)).toEqual(events);
    expect(played.divergence).toBeUndefined();
  }
});
