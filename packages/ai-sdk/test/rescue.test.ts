import { dialects } from "@toolglot/dialects";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type RescueToolCallsOptions, rescueToolCalls } from "../src/rescue.ts";

interface Part {
  type: string;
  [key: string]: unknown;
}

const note = {
  type: "function",
  name: "note",
  inputSchema: { type: "object", properties: { text: { type: "string" } } },
};
const search = { type: "provider", id: "p.search", name: "search", args: {} };
const prompt = [{ role: "user", content: [{ type: "text", text: "?" }] }];
const stop = { unified: "stop", raw: "stop" };
const mistral = '[TOOL_CALLS]note[ARGS]{"text": "x"}';
const nativeCall: Part = { type: "tool-call", toolCallId: "n1", toolName: "note", input: '{"text":"native"}' };

/** What becomes of a request, and of the answer's text. */
async function generate(
  text: string,
  options: RescueToolCallsOptions = {},
  params: object = { prompt, tools: [note] },
) {
  const middleware = rescueToolCalls(options);
  const changed = await middleware.transformParams({ type: "generate", params });
  const answer = { content: [{ type: "text", text }], finishReason: stop, warnings: [], usage: {} };
  const result = await middleware.wrapGenerate({ doGenerate: async () => answer, params: changed });
  return { changed, answer, result };
}

/** The same of a stream, whose text comes in pieces. */
async function stream(pieces: readonly string[], others: readonly Part[] = []): Promise<Part[]> {
  const middleware = rescueToolCalls();
  const params = await middleware.transformParams({ type: "stream", params: { prompt, tools: [note] } });
  const parts: Part[] = [
    { type: "text-start", id: "0" },
    ...pieces.map((delta) => ({ type: "text-delta", id: "0", delta })),
    { type: "text-end", id: "0" },
    ...others,
    { type: "finish", finishReason: stop, usage: {} },
  ];
  const source = new ReadableStream<Part>({
    start(controller) {
      for (const part of parts) controller.enqueue(part);
      controller.close();
    },
  });
  const result = await middleware.wrapStream({ doStream: async () => ({ stream: source }), params });
  const out: Part[] = [];
  for await (const part of result.stream as ReadableStream<Part>) out.push(part);
  return out;
}

const callsIn = (parts: readonly Part[]): unknown[] =>
  parts.filter(({ type }) => type === "tool-call").map(({ toolName, input }) => [toolName, input]);

describe("rescueToolCalls", () => {
  it.each([
    { toolChoice: { type: "auto" } },
    { toolChoice: { type: "required" }, tools: [search] },
    { toolChoice: { type: "tool", toolName: "search" }, tools: [note, search] },
    { stopSequences: ["a", "b", "c", "d", "e"], tools: [note] },
    {},
  ])("leaves the request as it is: %j", async (more) => {
    const params = { prompt, tools: [note, search], temperature: 0, ...more };
    expect((await generate("Hi.", {}, params)).changed).toEqual(params);
  });

  it("finds nothing where nothing may be called", async () => {
    for (const params of [
      { prompt },
      { prompt, tools: [note], toolChoice: { type: "none" } },
      { prompt, tools: [search] },
    ]) {
      const { result, answer } = await generate(mistral, {}, params);
      expect(result).toEqual(answer);
    }
  });

  it("makes a call of it, says that the answer is one, and tells of what it found", async () => {
    const found: string[] = [];
    const onDiagnostic = ({ code }: { code: string }): void => void found.push(code);
    const { result } = await generate(`Yes.\n${mistral.replace('"x"', '"x\ty"')}`, { onDiagnostic });
    expect(callsIn(result.content)).toEqual([["note", '{"text":"x\\ty"}']]);
    expect(result.content[0]).toEqual({ type: "text", text: "Yes." });
    expect(result.finishReason).toEqual({ unified: "tool-calls", raw: "stop" });
    expect(found).toEqual(["dialects/json-repaired"]);
    expect(JSON.stringify(result.warnings)).toContain("dialects/json-repaired");
  });

  it("leaves what can't be called as text, where it is asked to", async () => {
    const { result } = await generate(mistral.slice(0, -3), { unreadable: "text" });
    expect([callsIn(result.content), result.content]).toEqual([[], [{ type: "text", text: mistral.slice(0, -3) }]]);
  });

  it("streams the text at once, and the call at its end, whatever the chunks", async () => {
    const texts = Object.values(dialects).map(({ example }) => example.text.replaceAll("get_weather", "note"));
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(mistral, ...texts), fc.integer({ min: 1, max: 20 }), async (text, size) => {
        const whole = `Well.\n${text}`;
        const out = await stream(whole.match(new RegExp(`[^]{1,${size}}`, "g")) ?? []);
        const { result } = await generate(whole);
        expect(callsIn(out)).toEqual(callsIn(result.content));
        const said = out.flatMap(({ type, delta }) => (type === "text-delta" ? [delta] : [])).join("");
        expect(said.trim()).toBe(
          (result.content as Part[])
            .map((part) => part.text ?? "")
            .join("")
            .trim(),
        );
        const open = new Set<unknown>();
        for (const { type, id } of out) {
          if (/-start$/.test(type) && type !== "stream-start") open.add(id);
          if (/-end$/.test(type)) expect(open.delete(id)).toBe(true);
        }
        expect(open.size).toBe(0);
      }),
      { numRuns: 200 },
    );
  });

  it("makes no call of a text beside the provider's own ones, and shows nothing of it", async () => {
    const out = await stream(["Yes.\n", ...mistral], [nativeCall]);
    expect(callsIn(out)).toEqual([["note", nativeCall.input]]);
    expect(JSON.stringify(out)).not.toContain("TOOL_CALLS");
    expect(out.filter(({ type }) => type.startsWith("tool-input"))).toEqual([]);
  });

  it.each([
    [{ dialect: "qwen" }, /there is no dialect "qwen"/],
    [{ protocol: {} }, /rescueToolCalls has no option "protocol"/],
    [{ dialect: 1 }, /dialect/],
    [{ values: "drop" }, /values/],
  ])("refuses options that can't be meant: %j", (options, message) => {
    expect(() => rescueToolCalls(options as never)).toThrow(TypeError);
    expect(() => rescueToolCalls(options as never)).toThrow(message);
  });
});
