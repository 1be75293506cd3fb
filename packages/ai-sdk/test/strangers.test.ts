import { artifactTools, createAgent, memoryArtifacts, nativeProtocol } from "@toolglot/agent";
import { attpProtocol } from "@toolglot/attp";
import type { ArtifactStore, Message, ToolProtocol, ToolResult } from "@toolglot/core";
import { executorContext } from "@toolglot/core/executing";
import { attpPrompt } from "@toolglot/prompts/attp";
import { tamPrompt } from "@toolglot/prompts/tam";
import { toolsxmlPrompt } from "@toolglot/prompts/toolsxml";
import { tamProtocol } from "@toolglot/tam";
import { toolsxmlProtocol } from "@toolglot/toolsxml";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type AiSdkModelOptions, aiSdkModel } from "../src/index.ts";

type Prompt = { role: string; content: unknown }[];

const protocols: Record<string, () => ToolProtocol> = {
  native: () => nativeProtocol(),
  attp: () => attpProtocol({ prompt: attpPrompt }) as ToolProtocol,
  tam: () => tamProtocol({ prompt: tamPrompt }) as ToolProtocol,
  toolsxml: () => toolsxmlProtocol({ prompt: toolsxmlPrompt }) as ToolProtocol,
};

/** What a provider is asked when a conversation ends in these results. */
async function asked(
  protocol: ToolProtocol,
  given: readonly Partial<ToolResult>[],
  store = memoryArtifacts(),
  maxResultChars?: number,
) {
  const results = given.map(
    (more, at): ToolResult => ({ callId: `c${at}`, name: "read", status: "ok", content: [], ...more }),
  );
  const calls = results.map(({ callId: id }) => ({
    type: "call" as const,
    call: { id, name: "read", input: {}, protocol: "native" },
  }));
  const messages: Message[] = [
    { role: "user", trust: "user", parts: [{ type: "text", text: "Read." }] },
    { role: "assistant", trust: "user", parts: protocol.id === "native" ? calls : [{ type: "text", text: "I read." }] },
    { role: "tool", trust: "untrusted", parts: results.map((result) => ({ type: "result", result })) },
  ];
  let request: { prompt: Prompt; tools?: unknown } = { prompt: [] };
  let estimate = 0;
  const parts = [
    { type: "text-delta", id: "1", delta: "Done." },
    { type: "finish", finishReason: "stop", usage: {} },
  ];
  const model: AiSdkModelOptions["model"] = {
    ...{ specificationVersion: "v3", provider: "p", modelId: "m" },
    async doStream(options) {
      request = options;
      return {
        stream: new ReadableStream({
          start(to) {
            for (const part of parts) to.enqueue(part);
            to.close();
          },
        }),
      };
    },
  };
  const agent = createAgent({
    model: aiSdkModel({ model }),
    protocol,
    executor: { handles: () => false, execute: async () => [] },
    tools: protocol.carries === "code" ? artifactTools(store) : [],
    context: {
      ...{ artifacts: store, window: 1, reserve: 0 },
      ...(maxResultChars !== undefined && { maxResultChars }),
      compact(input) {
        estimate = input.estimate;
        return input.messages;
      },
    },
  });
  const { status, runId } = await agent.run(messages).result;
  expect(status).toBe("answered");
  return { request, estimate, runId, shown: shownIn(request.prompt.at(-1)) };
}

/** The texts of a message, without what JSON and its escapes add. */
function shownIn(value: unknown): string {
  if (typeof value === "string") return value;
  if (typeof value !== "object" || value === null) return "";
  if ("type" in value && value.type === "json" && "value" in value) return JSON.stringify(value.value);
  return Object.entries(value)
    .map(([key, item]) => (key === "type" ? "" : shownIn(item)))
    .join("\n");
}

/** What `read_artifact` gives for each place at which something was left out. */
async function rests(store: ArtifactStore, runId: string, shown: string) {
  const note =
    /\[(\d+) of (\d+) characters were left out here\. Read them with read_artifact: id \\?"(art_\w+)\\?", offset (\d+)\.\]/g;
  return Promise.all(
    [...shown.matchAll(note)].map(async ([, left, of, id, offset]) => {
      const tool = artifactTools(store)[0];
      let text = "";
      while (text.length < Number(left)) {
        const length = Number(left) - text.length;
        const piece = await tool?.execute({ id, offset: Number(offset) + text.length, length }, {
          ...executorContext(),
          callId: "",
          runId,
        } as never);
        text += (piece as { text: string }).text;
      }
      return { text, total: Number(of) };
    }),
  );
}

/** Texts in which every place differs, and which no format has to escape. */
const text = (length: number, from = 0): string => {
  const places = Array.from({ length: length / 6 }, (_, at) => ` ${from}${String(at).padStart(4, "0")}`).join("");
  return `HEAD${from}${places}TAIL${from}`;
};

describe.each(Object.entries(protocols))("with %s", (_name, make) => {
  it.each<[string, Partial<ToolResult>[], string[], number?]>([
    ["a long result", [{ content: [{ type: "text", text: text(60_000) }], data: text(60_000) }], [text(60_000)]],
    ["content alone", [{ content: [{ type: "text", text: text(60_000) }] }], [text(60_000)]],
    ["three results", [1, 2, 3].map((at) => ({ data: text(9000, at) })), [1, 2, 3].map((at) => text(9000, at)), 16_000],
    ["a program's output", [{ data: null, logs: [{ stream: "stdout", text: text(60_000) }] }], [text(60_000)]],
    [
      "a value and both outputs",
      [
        {
          data: text(30_000, 1),
          logs: [
            { stream: "stdout", text: text(40_000, 2) },
            { stream: "stderr", text: text(50_000, 3) },
          ],
        },
      ],
      [text(30_000, 1), text(40_000, 2), text(50_000, 3)],
    ],
    [
      "an error's words",
      [
        {
          status: "error",
          error: { type: "E", message: text(70_000) },
          content: [{ type: "text", text: text(70_000) }],
        },
      ],
      [text(70_000)],
    ],
  ])("a model should read the ends of %s, and by id and offset the rest", async (_case, results, wholes, cap) => {
    const store = memoryArtifacts();
    const { shown, runId } = await asked(make(), results, store, cap);
    const found = await rests(store, runId, shown);
    expect(found.map(({ total }) => total)).toEqual(wholes.map((whole) => whole.length));
    for (const [at, whole] of wholes.entries()) {
      const { text: rest } = found[at] as { text: string };
      const from = whole.indexOf(rest);
      expect(from).toBeGreaterThan(1000);
      expect(shown).toContain(whole.slice(0, from));
      expect(shown).toContain(whole.slice(from + rest.length));
      expect(rest.length).toBeLessThan(whole.length - 2000);
    }
    expect(shown.length).toBeLessThan((cap ?? 50_000) * 1.1 + 1000);
  });

  it("should show all of what one cap lets pass, and cut at that of the protocol where it has one", async () => {
    const three = [1, 2, 3].map((at) => ({ data: text(9000, at) }));
    const whole = await asked(make(), three);
    for (const { data } of three) expect(whole.shown).toContain(data);
    const own = await asked({ ...make(), maxResultChars: 6000 }, three);
    expect(own.shown.length).toBeLessThan(8000);
    expect(own.shown.match(/of 9010 characters/g)).toHaveLength(3);
  });

  it("should begin and end a text that is cut as one that is not", async () => {
    const page = {
      content: [{ type: "text" as const, text: `"Title"\n\n${text(3000)}\n\tsaid "end"\n` }],
      data: { a: `x\n${text(3000)}` },
    };
    for (const more of [page, { data: page.data }, { data: page.data.a }, { content: page.content }]) {
      // Formats write a text of several lines on lines of its own.
      const whole = (await asked(make(), [more])).shown.replaceAll("\n", "");
      const cut = await asked(make(), [more], memoryArtifacts(), 1000);
      const [head = "", tail = ""] = cut.shown.split(/(?:\n|\\n){2}\[\d+ of.*?\](?:\n|\\n){2}/);
      expect(tail).not.toBe("");
      expect(whole.startsWith(head.replaceAll("\n", ""))).toBe(true);
      expect(whole.endsWith(tail.replaceAll("\n", ""))).toBe(true);
    }
  });

  it("should reckon what is sent", async () => {
    const body = fc.integer({ min: 2000, max: 12_000 }).map((length) => text(length));
    const kinds = [
      body.map((of): Partial<ToolResult> => ({ content: [{ type: "text", text: of }] })),
      body.map((of): Partial<ToolResult> => ({ data: { of, list: [1, 2, 3] } })),
      body.map((of): Partial<ToolResult> => ({ content: [{ type: "text", text: of }], data: of })),
      body.map((of): Partial<ToolResult> => ({ data: null, logs: [{ stream: "stdout", text: of }] })),
    ];
    await fc.assert(
      fc.asyncProperty(fc.array(fc.oneof(...kinds), { minLength: 1, maxLength: 8 }), async (results) => {
        const { request, estimate } = await asked(make(), results);
        const sent = JSON.stringify([request.prompt, request.tools]).length;
        expect(Math.abs(estimate * 3 - sent) / sent).toBeLessThan(0.2);
      }),
      { numRuns: 15 },
    );
  });

  it("should keep both ends without a loop", () => {
    const told = make().formatResults([
      { callId: "c", status: "ok", content: [], data: text(60_000) },
      { callId: "d", status: "ok", content: [], data: 1, logs: [{ stream: "stdout", text: text(60_000, 2) }] },
    ]);
    for (const end of ["HEAD0", "TAIL0", "HEAD2", "TAIL2"]) expect(told).toContain(end);
  });
});
