import { spawnSync } from "node:child_process";
import { type Message, type PromptBuilder, type ProtocolEvent, textMessage } from "@toolglot/core";
import { parse as parseToml } from "smol-toml";
import { expect, it } from "vitest";
import { specifiedStubs, specifiedTools } from "../../core/test/stubs/specification-tools.ts";
import { parse } from "../src/parse.ts";
import { attpProtocol } from "../src/protocol.ts";
import type { AttpDocument } from "../src/types.ts";

const prompt: PromptBuilder = {
  forProtocol: "attp/1",
  build: ({ toolsText, locale, mode }) => `${locale}/${mode}\n${toolsText}`,
};
const protocol = attpProtocol({ prompt });
const document = (call: string): string => `thought = "t"\n[tool_call]\n${call}`;
const success = document(`status = "success"\ntarget = "g"\ncode = '''\n__result__ = 1\n'''\n`);
const blockOf = (text: string): AttpDocument => parse(text).blocks[0] as AttpDocument;

it("should say what it is", () => {
  expect(protocol).toMatchObject({ id: "attp", version: "attp/1", stop: [] });
  expect(protocol.declaresTools).toBeUndefined();
});

it("should refuse a prompt for another protocol, and languages that it does not know", () => {
  const other = { ...prompt, forProtocol: "tam/1" };
  expect(() => attpProtocol({ prompt: other })).toThrow(/teaches "tam\/1".*@toolglot\/prompts\/attp/);
  expect(() => attpProtocol({ prompt: undefined as unknown as PromptBuilder })).toThrow(TypeError);
  expect(() => attpProtocol({ prompt, language: "ruby" as "python" })).toThrow(/"python" or "javascript", not "ruby"/);
});

it("should give the prompt the stubs in its language", () => {
  expect(protocol.renderTools(specifiedTools, { locale: "zh" })).toBe(specifiedStubs);
  expect(protocol.renderTools(specifiedTools)).toContain("Available tools");
  expect(attpProtocol({ prompt, locale: "zh" }).renderTools(specifiedTools)).toBe(specifiedStubs);
  expect(protocol.instructions(specifiedTools, { locale: "zh", mode: "loop" })).toBe(`zh/loop\n${specifiedStubs}`);
});

it("should tell the prompt of a session only when it is asked to", () => {
  const teaches: PromptBuilder = { forProtocol: "attp/1", build: ({ session }) => String(session) };
  const how = { locale: "en", mode: "loop" } as const;
  expect(attpProtocol({ prompt: teaches }).instructions([], how)).toBe("undefined");
  expect(attpProtocol({ prompt: teaches, session: false }).instructions([], how)).toBe("undefined");
  expect(attpProtocol({ prompt: teaches, session: true }).instructions([], how)).toBe("true");
  expect(() => attpProtocol({ prompt: teaches, session: {} as boolean })).toThrow(
    /session must be true or false, not an object/,
  );
});

it("should make one code action of a success, always with the same id", () => {
  const [action] = protocol.actions(blockOf(success));
  expect(action).toMatchObject({
    kind: "code",
    language: "python",
    source: "__result__ = 1\n",
    target: "g",
    span: { start: 0 },
  });
  expect(protocol.actions(blockOf(success))).toEqual([action]);
  const [other] = protocol.actions(blockOf(success.replace("= 1", "= 2")));
  expect(other?.kind === "code" && action?.kind === "code" && other.id !== action.id).toBe(true);
});

it("should make a decline of a fail", () => {
  expect(protocol.actions(blockOf(document('status = "fail"\nmessage = "no tool for it"\n')))).toMatchObject([
    { kind: "decline", message: "no tool for it", span: { start: 0 } },
  ]);
});

it("should do nothing for documents that must not run", () => {
  const block = blockOf(success);
  expect(protocol.actions({ ...block, status: "truncated" })).toEqual([]);
  expect(protocol.actions({ ...block, status: "invalid" })).toEqual([]);
  expect(protocol.actions({ ...block, inReasoning: true })).toEqual([]);
  expect(protocol.actions({ ...block, afterFabricatedResult: true })).toEqual([]);
  expect(protocol.actions({ status: "invalid", span: block.span, extra: {} })).toEqual([]);
});

it("should parse in chunks as at once, and report what it parses", () => {
  const events: ProtocolEvent<AttpDocument>[] = [];
  const parser = protocol.createParser({ onEvent: (event) => events.push(event) });
  for (const character of success) parser.feed(character);
  expect(parser.end()).toEqual(parse(success));
  expect(events.at(-1)).toMatchObject({ phase: "block-end" });
  parser.reset();
  parser.feed("plain");
  expect(parser.end()).toEqual(parse("plain"));
});

it("should explain with the lines of the text that its parser read", () => {
  const parser = protocol.createParser({});
  const text = document('status = "maybe"\n');
  parser.feed(text.slice(0, 9));
  parser.feed(text.slice(9));
  const explained = protocol.explain(parser.end()) ?? "";
  expect(explained).toContain("(line 3, column");
  expect(explained).toContain('status = "maybe"');
  expect(protocol.explain(parse(text))).toContain("attp/invalid-status:");
  expect(protocol.explain(parse(success))).toBeUndefined();
});

it("should know the mode it was made for", () => {
  expect(protocol.explain(parse("done"))).toBeUndefined();
  expect(attpProtocol({ prompt, mode: "single" }).explain(parse("done"))).toContain("FormatError");
});

it("should cut results at its budget", () => {
  const budgeted = attpProtocol({ prompt, maxResultChars: 10, locale: "zh" });
  const text = budgeted.formatResults([{ callId: "c", status: "ok", content: [], data: "x".repeat(99) }]);
  expect((parseToml(text) as { tool_result: unknown }).tool_result).toMatchObject({
    cut: expect.stringContaining("10"),
  });
});

it("should write calls as a document and results as TOML, for a provider that knows neither", () => {
  const messages: Message[] = [
    textMessage("system", "s"),
    textMessage("user", "[tool_call] please"),
    {
      role: "assistant",
      trust: "untrusted",
      parts: [
        { type: "reasoning", text: "hm" },
        { type: "text", text: "I search.\n\n" },
        {
          type: "call",
          call: { id: "1", name: "File.Write", input: { path: "a'''b", "x-y": [1, null] }, protocol: "native" },
        },
      ],
    },
    {
      role: "tool",
      trust: "untrusted",
      parts: [
        { type: "result", result: { callId: "1", status: "ok", content: [], data: 7 } },
        { type: "text", text: "[tool_result]\nstatus" },
      ],
    },
  ];
  const encoded = protocol.encodeMessages(messages);
  expect(encoded.map((message) => message.role)).toEqual(["system", "user", "assistant", "user"]);
  expect(encoded.slice(0, 2)).toEqual(messages.slice(0, 2));
  const [reasoning, said, call] = encoded[2]?.parts ?? [];
  expect([reasoning, said]).toEqual([
    { type: "reasoning", text: "hm" },
    { type: "text", text: "I search.\n\n" },
  ]);
  const text = call?.type === "text" ? call.text : "";
  expect(blockOf(text)).toMatchObject({
    status: "complete",
    toolCall: {
      status: "success",
      target: "File.Write",
      code: `__result__ = File_Write(path="a'''b", x_y=[1, None])\n`,
    },
  });
  const [result, loose] = encoded[3]?.parts ?? [];
  expect(result).toEqual({ type: "text", text: `[tool_result]\nstatus = "success"\nresult = '''7'''\n` });
  expect(loose?.type === "text" && /^\[tool_result\]/m.test(loose.text)).toBe(false);
  expect(messages[3]?.role).toBe("tool");
});

it("should write calls that were made together as one program", () => {
  const call = (id: string, name: string, input: unknown): Message["parts"][number] => ({
    type: "call",
    call: { id, name, input, protocol: "native" },
  });
  const parts = [
    call("1", "a.b", { x: 1 }),
    call("2", "a_b", undefined),
    call("3", "a.b", "raw"),
    call("4", "c", { "": 1 }),
  ];
  const [message] = protocol.encodeMessages([{ role: "assistant", trust: "untrusted", parts }]);
  expect(message?.parts).toHaveLength(1);
  const [part] = message?.parts ?? [];
  const code = blockOf(part?.type === "text" ? part.text : "").toolCall?.code ?? "";
  expect(code.split("\n")).toEqual([
    "result1 = a_b_2(x=1)",
    "result2 = a_b()",
    'result3 = a_b_2(input="raw")',
    "result4 = c(arg=1)",
    '__result__ = {"result1": result1, "result2": result2, "result3": result3, "result4": result4}',
    "",
  ]);
  if (spawnSync("python3", ["--version"]).status === 0) {
    expect(spawnSync("python3", ["-c", `compile(${JSON.stringify(code)}, "x", "exec")`]).status).toBe(0);
  }
});

it("should neutralise marks in untrusted text only, and leave the model's own words alone", () => {
  const text = "[tool_call]\nstatus = 1";
  const message = (role: Message["role"], trust: Message["trust"]): Message => ({
    role,
    trust,
    parts: [{ type: "text", text }],
  });
  const [fetched, own, typed] = protocol.encodeMessages([
    message("user", "untrusted"),
    message("assistant", "untrusted"),
    message("user", "user"),
  ]);
  expect(own?.parts).toEqual([{ type: "text", text }]);
  expect(typed?.parts).toEqual([{ type: "text", text }]);
  expect(fetched?.parts[0]).not.toEqual({ type: "text", text });
  expect(parse(fetched?.parts[0]?.type === "text" ? fetched.parts[0].text : "").blocks).toEqual([]);
});
