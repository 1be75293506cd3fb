import {
  createAgent,
  expandRequests,
  nativeProtocol,
  parseRecording,
  recordRun,
  replayRun,
  stringifyRecording,
} from "@toolglot/agent";
import { type ScriptedTurn, scriptedModel } from "@toolglot/agent/testing";
import { attpProtocol } from "@toolglot/attp";
import { type Message, type ModelPart, messageText, type ToolDefinition, type ToolProtocol } from "@toolglot/core";
import { attpPrompt } from "@toolglot/prompts/attp";
import { tamPrompt } from "@toolglot/prompts/tam";
import { toolsxmlPrompt } from "@toolglot/prompts/toolsxml";
import { tamProtocol } from "@toolglot/tam";
import { defineTool, Toolkit, toolkitExecutor } from "@toolglot/toolkit";
import { toolsxmlProtocol } from "@toolglot/toolsxml";
import { describe, expect, it } from "vitest";
import { bracketProtocol } from "./support/bracket-protocol.ts";
import { collect, only } from "./support/collect.ts";
import { definitions, recordingExecutor } from "./support/tools.ts";

function kitWithGroup(): Toolkit {
  const kit = new Toolkit();
  kit.createToolGroup("web", { description: "Pages." });
  kit.registerToolFunction(defineTool({ name: "open_page", description: "Opens.", execute: () => "page" }), {
    groupName: "web",
  });
  return kit;
}

const native = (name: string, input: unknown): ModelPart[] => [
  { type: "call", call: { id: "", name, input, protocol: "native" } },
];

/** A protocol, and how its model opens the group and then calls the tool in it. */
const protocols: [name: string, make: () => ToolProtocol, open: ScriptedTurn, call: ScriptedTurn][] = [
  ["native", () => nativeProtocol(), native("reset_equipped_tools", { web: true }), native("open_page", {})],
  [
    "ToolsXML",
    () => toolsxmlProtocol({ prompt: toolsxmlPrompt }),
    '<tools>\n<reset_equipped_tools web="true"/>\n</tools>',
    "<tools>\n<open_page/>\n</tools>",
  ],
  [
    "TAM",
    () => tamProtocol({ prompt: tamPrompt }),
    "<|[REQUEST_TOOL]|>\ncommand:»»»reset_equipped_tools«««\nweb:»»»true«««\n<|[END_TOOL]|>",
    "<|[REQUEST_TOOL]|>\ncommand:»»»open_page«««\n<|[END_TOOL]|>",
  ],
];

describe("tools that change while a run goes on", () => {
  for (const [name, make, open, call] of protocols) {
    it(`are in the next request, and can be called (${name})`, async () => {
      const kit = kitWithGroup();
      const model = scriptedModel([open, call, "Done."]);
      const options = { model, protocol: make(), executor: toolkitExecutor(kit), tools: kit };
      const run = recordRun(options, "Open the page.");
      const result = await run.result;
      expect(result.results.map(({ name, status }) => [name, status])).toEqual([
        ["reset_equipped_tools", "ok"],
        ["open_page", "ok"],
      ]);
      const shown = model.requests.map((request) => JSON.stringify(request).includes("Opens."));
      expect(shown).toEqual([false, true, true]);
      const events = await collect(run);
      expect(only(events, "tools-changed")).toMatchObject([
        { stepIndex: 1, added: ["open_page"], removed: [], changed: [] },
      ]);
      const recording = parseRecording(stringifyRecording(run.recording));
      const played = replayRun(recording, { protocol: make() });
      expect(await collect(played)).toEqual(events);
      expect(played.divergence).toBeUndefined();
    });
  }

  it("stand in the system message, which takes the place of the old one; all after it stays", async () => {
    const kit = kitWithGroup();
    const [, make, open, call] = protocols[1] as (typeof protocols)[number];
    const model = scriptedModel([open, call, "Done."]);
    const run = createAgent({ model, protocol: make(), executor: toolkitExecutor(kit), tools: kit }).run("Go");
    const events = await collect(run);
    const manuals = model.requests.map(({ messages }) => messages.filter(({ role }) => role === "system"));
    expect(manuals.map((found) => found.length)).toEqual([1, 1, 1]);
    expect(manuals.map(([message]) => messageText(message as Message).includes("open_page"))).toEqual([
      false,
      true,
      true,
    ]);
    // The tools of the third request are those of the second: its system message is equal, so that a cached prefix stays.
    expect(model.requests[2]?.messages.slice(0, 4)).toEqual(model.requests[1]?.messages);
    expect(model.requests[1]?.messages.slice(1, 2)).toEqual(model.requests[0]?.messages.slice(1));
    expect(only(events, "request").map(({ from, total }) => [from, total])).toEqual([
      [0, 2],
      [0, 4],
      [4, 6],
    ]);
    expect(expandRequests(events).map(({ messages }) => messages)).toEqual(
      model.requests.map(({ messages }) => messages),
    );
  });

  it("are listed whole, also when tools leave, and in the run's language", async () => {
    let tools: ToolDefinition[] = [...definitions];
    const model = scriptedModel([
      () => {
        tools = [];
        return "[[call add {}]]";
      },
      () => {
        tools = [{ ...(definitions[0] as ToolDefinition), description: "Adds otherwise." }];
        return '[[call add {"a":1}]]';
      },
      "Done.",
    ]);
    const agent = createAgent({
      model,
      protocol: bracketProtocol(),
      executor: recordingExecutor(),
      tools: () => tools,
      locale: "zh",
      system: "Be kind.",
    });
    const run = agent.run("Go");
    const events = await collect(run);
    expect(only(events, "tools-changed").map(({ added, removed, changed }) => ({ added, removed, changed }))).toEqual([
      { added: [], removed: ["add", "store", "remove"], changed: [] },
      { added: ["add"], removed: [], changed: [] },
    ]);
    expect(model.requests.map(({ messages }) => messageText(messages[0] as Message))).toEqual([
      "Tools (zh, loop): add, store, remove\n\nBe kind.",
      "Tools (zh, loop): \n\nBe kind.",
      "Tools (zh, loop): add\n\nBe kind.",
    ]);
    const { transcript } = await run.result;
    expect(transcript.messages.filter(({ role }) => role === "system")).toHaveLength(1);
  });

  it("come and go with a protocol that says nothing without them", async () => {
    let tools: ToolDefinition[] = [];
    const model = scriptedModel([
      () => {
        tools = definitions;
        return "[[call add {}]]";
      },
      () => {
        tools = [];
        return '[[call add {"a":1}]]';
      },
      "Done.",
    ]);
    const protocol = {
      ...bracketProtocol(),
      instructions: (known: readonly ToolDefinition[]) => known.map(({ name }) => name).join(", "),
    };
    await createAgent({ model, protocol, executor: recordingExecutor(), tools: () => tools }).run("Go").result;
    expect(model.requests.map(({ messages }) => messages.map(({ role }) => role))).toEqual([
      ["user"],
      ["system", "user", "assistant", "user"],
      ["user", "assistant", "user", "assistant", "user"],
    ]);
  });

  it("are read once before each request, and cost no word when nothing changed", async () => {
    let reads = 0;
    const model = scriptedModel(["[[call add {}]]", '[[call add {"a":1}]]', "Done."]);
    const agent = createAgent({
      model,
      protocol: bracketProtocol(),
      executor: recordingExecutor(),
      tools: () => {
        reads += 1;
        return definitions.map((tool) => structuredClone(tool));
      },
    });
    const events = await collect(agent.run("Go"));
    expect([reads, only(events, "tools-changed").length]).toEqual([3, 0]);
    expect(model.requests[2]?.messages).toHaveLength(6);
  });

  it("hold back a repaired call by what is known of them now", async () => {
    let tools = definitions;
    const model = scriptedModel([
      () => {
        tools = definitions.map((tool) => ({ ...tool, annotations: { readOnlyHint: true } }));
        return "[[call add {}]]";
      },
      "[[call!value store {}]]",
      "Done.",
    ]);
    const executor = recordingExecutor();
    await createAgent({ model, protocol: bracketProtocol(), executor, tools: () => tools }).run("Go").result;
    expect(executor.ran).toHaveLength(2);
  });

  it("are those that an MCP server, or anybody, registered meanwhile", async () => {
    const kit = new Toolkit();
    const late = defineTool({ name: "late", description: "Late.", execute: () => "here" });
    kit.registerToolFunction(
      defineTool({ name: "first", description: "First.", execute: () => kit.registerToolFunction(late).length }),
    );
    const model = scriptedModel([native("first", {}), native("late", {}), "Done."]);
    const agent = createAgent({ model, protocol: nativeProtocol(), executor: toolkitExecutor(kit), tools: kit });
    const { results } = await agent.run("Go").result;
    expect(results.map(({ data }) => data)).toEqual([0, "here"]);
    expect(model.requests.map(({ tools }) => tools?.map(({ name }) => name))).toEqual([
      ["first"],
      ["first", "late"],
      ["first", "late"],
    ]);
  });
});

describe("a source of tools", () => {
  const options = { protocol: bracketProtocol(), executor: recordingExecutor() };

  it("that fails at the start ends the run; later, the tools of before stand", async () => {
    const fail = (): never => {
      throw new Error("gone");
    };
    const first = await createAgent({ ...options, model: scriptedModel([]), tools: fail }).run("Go").result;
    expect(first).toMatchObject({ status: "error", turns: 0, error: { code: "agent/tools-failed" } });
    let reads = 0;
    const tools = (): ToolDefinition[] => (reads++ === 0 ? definitions : reads === 2 ? fail() : (null as never));
    const model = scriptedModel(["[[call add {}]]", '[[call add {"a":1}]]', "Done."]);
    const run = recordRun({ ...options, model, tools }, "Go");
    const events = await collect(run);
    expect(await run.result).toMatchObject({ status: "answered" });
    expect(only(events, "warning").map(({ code }) => code)).toEqual(["agent/tools-failed", "agent/tools-failed"]);
    const played = replayRun(parseRecording(stringifyRecording(run.recording)), { protocol: options.protocol });
    expect(await collect(played)).toEqual(events);
  });

  it("that names two tools alike is warned of once, and the first stands", async () => {
    const [add] = definitions as [ToolDefinition];
    const model = scriptedModel(["[[call add {}]]", "Done."]);
    const tools = (): ToolDefinition[] => [add, { ...add, description: "Another." }];
    const events = await collect(createAgent({ ...options, model, tools }).run("Go"));
    expect(only(events, "warning")).toMatchObject([{ code: "agent/tool-name-twice" }]);
    expect(events[0]).toMatchObject({ type: "run-start", tools: ["add"] });
  });

  it("should be refused when it is none", () => {
    for (const tools of [undefined, 3, "add", {}, [null], [{ name: "" }], [{ name: "a", description: "" }]]) {
      expect(() => createAgent({ ...options, model: scriptedModel([]), tools: tools as never })).toThrow(TypeError);
    }
  });
});

it("shows ATTP programs the tools of the moment", async () => {
  const kit = kitWithGroup();
  const model = scriptedModel([
    () => {
      kit.updateToolGroups(["web"], true);
      return '[tool_call]\nstatus = "success"\ncode = """\nx = 1\n"""\n';
    },
    "Done.",
  ]);
  const protocol = attpProtocol({ prompt: attpPrompt });
  await createAgent({ model, protocol, executor: recordingExecutor(), tools: kit }).run("Go").result;
  expect(messageText(model.requests[1]?.messages[0] as Message)).toMatch(/def open_page\(/);
});
