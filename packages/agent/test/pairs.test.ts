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
import { type Action, type ModelRequest, messageText, type ToolProtocol } from "@toolglot/core";
import { rounds } from "@toolglot/internal/testing";
import { attpPrompt } from "@toolglot/prompts/attp";
import { tamPrompt } from "@toolglot/prompts/tam";
import { toolsxmlPrompt } from "@toolglot/prompts/toolsxml";
import { tamProtocol } from "@toolglot/tam";
import { defineTool, makeSubagentTool, Toolkit, toolkitExecutor } from "@toolglot/toolkit";
import { toolsxmlProtocol } from "@toolglot/toolsxml";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { collect, only } from "./support/collect.ts";
import { memoryRuns } from "./support/memory-runs.ts";

// Both sides of what belongs together: what one side of a run writes, the other one reads.

const protocols: Record<string, ToolProtocol> = {
  native: nativeProtocol(),
  attp: attpProtocol({ prompt: attpPrompt }) as ToolProtocol,
  tam: tamProtocol({ prompt: tamPrompt }) as ToolProtocol,
  toolsxml: toolsxmlProtocol({ prompt: toolsxmlPrompt }) as ToolProtocol,
};
const texts = fc.oneof(
  fc.string({ unit: "grapheme", minLength: 1, maxLength: 40 }),
  fc.constantFrom(
    "a\nb\n",
    "</say>",
    "«««",
    "'''",
    "<|[END_TOOL]|>",
    "```\nx\n```",
    "a &lt; b",
    "\t\u00a0x",
    "[[call]]",
    "]]>",
  ),
);
const span = { start: 0, end: 0 };

function open() {
  const said: string[] = [];
  const toolkit = new Toolkit();
  const say = { name: "say", description: "d", args: { text: "string" } as const };
  toolkit.registerToolFunction(
    defineTool({
      ...say,
      annotations: { readOnlyHint: true },
      execute: ({ text }) => `said ${said.push(text) && text}`,
    }),
  );
  toolkit.registerToolFunction(
    defineTool({
      ...say,
      name: "pay",
      annotations: { requiresApproval: true },
      execute: ({ text }) => said.push(`paid ${text}`),
    }),
  );
  const agentOptions = (turns: readonly ScriptedTurn[], more: Partial<AgentOptions> = {}) => {
    const model = scriptedModel(turns);
    const options: AgentOptions = {
      model,
      protocol: nativeProtocol(),
      executor: toolkitExecutor(toolkit),
      tools: toolkit,
      ...more,
    };
    return { ...options, model };
  };
  const tools = [...toolkit.registered.values()].map(({ definition }) => definition);
  return { said, toolkit, tools, agentOptions };
}
const call = (name: string, input: object, id = "1"): ScriptedTurn => [
  { type: "call", call: { id, name, input, protocol: "native" } },
];

/** A call as a model that was taught by the protocol writes it; undefined for what its form can't say. */
function taught(
  protocol: ToolProtocol,
  text: string,
  tools: ReturnType<typeof open>["tools"],
): ScriptedTurn | undefined {
  if (protocol.id === "native") return call("say", { text });
  const action: Action = {
    kind: "calls",
    calls: [{ id: "1", name: "say", input: { text }, protocol: protocol.id }],
    span,
  };
  try {
    return protocol.formatActions([action], { tools, lossy: false });
  } catch {
    return undefined;
  }
}

describe.each(Object.entries(protocols).filter(([name]) => name !== "attp"))("in %s", (_name, protocol) => {
  it("the form that is taught / the call that runs / the form in the history, whatever the text", async () => {
    let written = 0;
    await fc.assert(
      fc.asyncProperty(texts, async (text) => {
        const { said, tools, agentOptions } = open();
        const turn = taught(protocol, text, tools);
        if (turn === undefined) return;
        written++;
        const options = agentOptions([turn, "done"], { protocol });
        const result = await createAgent(options).run("go").result;
        expect([result.status, said]).toEqual(["answered", [text]]);
        const [request] = options.model.requests.slice(1) as [ModelRequest];
        const history = request.messages.filter(({ role }) => role === "assistant");
        if (protocol.id === "native") {
          expect(history.flatMap(({ parts }) => parts)).toMatchObject([
            { type: "call", call: { name: "say", input: { text } } },
          ]);
        } else {
          const parser = protocol.createParser({ tools });
          parser.feed(history.map(messageText).join("\n"));
          const { blocks, diagnostics } = parser.end();
          expect(diagnostics.filter(({ affects }) => affects === "value")).toEqual([]);
          expect(JSON.stringify(blocks.flatMap((block) => protocol.actions(block)))).toContain(JSON.stringify(text));
        }
      }),
      { numRuns: rounds(25, 400) },
    );
    expect(written).toBeGreaterThan(10);
  });
});

describe.each(Object.entries(protocols))("in %s", (_name, protocol) => {
  it("a run that is recorded / the same run, replayed", async () => {
    const { tools, agentOptions } = open();
    const turns = [taught(protocol, "hi", tools) ?? "", "done"];
    const run = recordRun(agentOptions(turns, { protocol }), "go");
    const [events, result] = [await collect(run), await run.result];
    const played = replayRun(parseRecording(stringifyRecording(run.recording)), { protocol });
    expect([await collect(played), await played.result, played.divergence]).toEqual([events, result, undefined]);
  });
});

describe.each(Object.entries(protocols).filter(([name]) => name !== "attp"))("in %s", (_name, protocol) => {
  it("a result that is put away / the same text, read back piece by piece", async () => {
    const { agentOptions, toolkit } = open();
    const long = Array.from({ length: 900 }, (_, at) => `line ${at} «é»\n`).join("");
    const page = { name: "page", description: "d", annotations: { readOnlyHint: true }, execute: () => long };
    toolkit.registerToolFunction(defineTool(page));
    const tools = [...toolkit.registered.values()].map(({ definition }) => definition);
    const action: Action = {
      kind: "calls",
      calls: [{ id: "1", name: "page", input: {}, protocol: protocol.id }],
      span,
    };
    const turn =
      protocol.id === "native" ? call("page", {}) : protocol.formatActions([action], { tools, lossy: false });
    const artifacts = memoryArtifacts();
    const options = agentOptions([turn, "done"], { protocol, context: { artifacts, maxResultChars: 2_000 } });
    await createAgent(options).run("go").result;
    const shown = JSON.stringify(options.model.requests[1]?.messages);
    const id = /art_[0-9a-f]+/.exec(shown)?.[0] ?? "none";
    // Head and tail are shown, and what lies between is read.
    for (const line of ["line 0 ", "line 899 "]) expect(shown).toContain(line);
    const [reader] = artifactTools(artifacts);
    let text = "";
    for (let offset = 0, total = 1; offset < total; offset = text.length) {
      const piece = await artifacts.read(id, { offset, length: 1_000 });
      const read = await reader?.execute?.({ id, offset, length: 1_000 }, {} as never);
      expect(JSON.stringify(read)).toContain(JSON.stringify(piece?.text ?? "none"));
      total = piece?.total ?? 0;
      text += piece?.text ?? "";
    }
    expect(text).toBe(long);
  });
});

it("a run that is saved as it waits / the same run, resumed: what was asked for is what is decided and what runs", async () => {
  await fc.assert(
    fc.asyncProperty(texts, fc.boolean(), fc.boolean(), async (text, approved, isStored) => {
      const { said, agentOptions } = open();
      const storage = isStored ? memoryRuns() : undefined;
      const more = { approve: async () => "later" as const, ...(storage && { storage }) };
      const waiting = await createAgent(agentOptions([call("pay", { text })], more)).run("go").result;
      expect(waiting).toMatchObject({ status: "waiting", pending: [{ callId: "1", tool: "pay", input: { text } }] });
      if (waiting.status !== "waiting") return;
      const [{ callId, fingerprint }] = waiting.pending as unknown as [{ callId: string; fingerprint: string }];
      const agent = createAgent(agentOptions(["done"], more));
      const saved = JSON.parse(JSON.stringify(waiting.snapshot));
      const run = await agent.resume(saved, { decisions: { [callId]: { approved, fingerprint } } });
      expect(await run.result).toMatchObject({
        status: "answered",
        results: [{ callId, status: approved ? "ok" : "denied" }],
      });
      expect(said).toEqual(approved ? [`paid ${text}`] : []);
      // The same decision for another input is none.
      const other = { ...saved, ...JSON.parse(JSON.stringify(saved).replaceAll(JSON.stringify(text), '"another"')) };
      if (text === "another" || isStored || JSON.stringify(other) === JSON.stringify(saved)) return;
      const again = await createAgent(agentOptions(["done"], more)).resume(other, {
        decisions: { [callId]: { approved: true, fingerprint } },
      });
      expect((await again.result).status).toBe("waiting");
      expect(said).toEqual(approved ? [`paid ${text}`] : []);
    }),
    { numRuns: rounds(20, 200) },
  );
});

it("results that are compacted / what is left of the conversation: each call has its result, and the rest is as it was", async () => {
  const { agentOptions, toolkit } = open();
  toolkit.registerToolFunction(
    defineTool({
      name: "page",
      description: "d",
      args: { n: "integer" },
      annotations: { readOnlyHint: true },
      execute: ({ n }) => `HEAD ${n} ${"x".repeat(4_000)} TAIL ${n}`,
    }),
  );
  const turns = Array.from({ length: 6 }, (_, n) => call("page", { n }, `c${n}`));
  const options = agentOptions([...turns, "done"], { context: { window: 6_000, reserve: 500 } });
  const run = createAgent(options).run("go");
  const compactions = only(await collect(run), "compaction");
  expect(compactions.length).toBeGreaterThan(0);
  for (const { before, after } of compactions) expect(after).toBeLessThan(before);
  for (const { messages } of options.model.requests) {
    const parts = messages.flatMap(({ parts }) => parts);
    const [calls, results] = [
      parts.flatMap((part) => (part.type === "call" ? [part.call.id] : [])),
      parts.flatMap((part) => (part.type === "result" ? [part.result.callId] : [])),
    ];
    expect(results).toEqual(calls);
    expect(messages.filter(({ role }) => role === "user").map(messageText)).toEqual(["go"]);
    if (results.length > 0) expect(JSON.stringify(parts.at(-1))).toContain(`TAIL ${results.length - 1}`);
  }
});

it("usage that is reported by models and by what stands behind tools / the sums of the run", async () => {
  const counts = fc.array(fc.record({ inputTokens: fc.nat(100), outputTokens: fc.nat(100), child: fc.nat(50) }), {
    minLength: 1,
    maxLength: 4,
  });
  await fc.assert(
    fc.asyncProperty(counts, async (steps) => {
      const { agentOptions, toolkit } = open();
      toolkit.registerToolFunction(
        makeSubagentTool({
          ...{ name: "helper", description: "d", args: { n: "integer" } as const },
          run: async ({ n }, { report }) => {
            report?.({ usage: { inputTokens: n } });
            return "x";
          },
        }),
      );
      const turns = steps.map(({ child, ...usage }, at) => [
        ...(call("helper", { n: child }, `c${at}`) as object[]),
        { type: "finish", reason: "calls", usage },
      ]);
      const result = await createAgent(agentOptions([...turns, "done"] as never)).run("go").result;
      const sum = (key: "inputTokens" | "outputTokens" | "child"): number =>
        steps.reduce((all, step) => all + step[key], 0);
      expect([result.usage.inputTokens ?? 0, result.usage.outputTokens ?? 0]).toEqual([
        sum("inputTokens") + sum("child"),
        sum("outputTokens"),
      ]);
    }),
    { numRuns: rounds(20, 200) },
  );
});
