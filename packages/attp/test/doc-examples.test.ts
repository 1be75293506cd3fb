// The examples of the doc comments, word for word, and what they come to.
import { join } from "node:path";
import { attpProtocol, createParser, explain, parse, serialize } from "@toolglot/attp";
import { testDocExamples } from "@toolglot/internal/testing/doc-examples";
import { expect, it } from "vitest";
import { attpPrompt } from "../../prompts/src/attp/index.ts";

testDocExamples([import.meta.filename], [join(import.meta.dirname, "../src")], 5);

it("should run the example of parse", () => {
  const answer = "[tool_call]\nstatus = success\ncode = '''\n__result__ = 1\n'''\n";
  const { blocks, diagnostics } = parse(answer);
  const call = blocks[0]?.toolCall; // { status: "success", code: "__result__ = 1\n" }
  expect(call).toEqual({ status: "success", code: "__result__ = 1\n" });
  expect(diagnostics.map(({ severity }) => severity)).toContain("warning");
});

it("should run the example of createParser", () => {
  const deltas: string[] = [];
  const chunks = ['thought = "Hi."\n[tool_call]\nsta', "tus = \"success\"\ncode = '''\nx", " = 1\n'''\n"];
  const parser = createParser({
    onEvent(event) {
      if (event.phase === "delta") deltas.push(event.text);
    },
  });
  for (const chunk of chunks) parser.feed(chunk);
  const { blocks } = parser.end({ finish: "stop" });
  expect(blocks[0]?.toolCall).toMatchObject({ code: "x = 1\n" });
  expect(deltas.join("|")).toMatch(/^Hi\.\|success\|x/);
});

it("should run the example of serialize", () => {
  const text = serialize({ thought: "Easy.", toolCall: { status: "success", code: "__result__ = 1\n" } });
  expect(parse(text).blocks[0]).toMatchObject({ thought: "Easy.", toolCall: { code: "__result__ = 1\n" } });
});

it("should run the example of explain", () => {
  const result = parse("[tool_call]\nstatus = 'done'\n");
  const explanation = explain(result); // a TOML document for the model, undefined where nothing is to be explained
  expect(explanation).toContain('error_type = "FormatError"');
});

it("should run the example of the protocol", () => {
  const tools = [{ name: "read_file", description: "Reads a file.", inputSchema: {} }];
  const protocol = attpProtocol({ prompt: attpPrompt }); // attpPrompt of @toolglot/prompts/attp
  const system = protocol.instructions(tools, { locale: "en", mode: "loop" });
  expect(system).toContain("def read_file(");
});
