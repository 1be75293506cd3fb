// The examples of the doc comments, word for word, and what they come to.
import { join } from "node:path";
import { testDocExamples } from "@toolglot/internal/testing/doc-examples";
import { bindPlan, createParser, parse, serialize, tamProtocol } from "@toolglot/tam";
import { expect, it } from "vitest";
import { tamPrompt } from "../../prompts/src/tam/index.ts";

const tools = [{ name: "note", description: "Keeps a note.", inputSchema: {} }];
const written = "<|[REQUEST_TOOL]|>\ncommand:»»»Note«««\ntext:»»»Dear friend«««\n<|[END_TOOL]|>\n";

testDocExamples([import.meta.filename], [join(import.meta.dirname, "../src")], 5);

it("should run the example of parse", () => {
  const answer = "<|[REQUEST_TOOL]|>\ncommand:»»»Note«««\ntext:»»»Dear friend«««\n<|[END_TOOL]|>\n";
  const [block] = parse(answer).blocks;
  const step = block?.steps[0]; // { tool: "Note", params: { text: "Dear friend" }, … }
  expect(step).toMatchObject({ tool: "Note", params: { text: "Dear friend" } });
});

it("should run the example of createParser", () => {
  const deltas: string[] = [];
  const chunks = [written.slice(0, 45), written.slice(45)];
  const parser = createParser({
    onEvent(event) {
      if (event.type === "param-delta") deltas.push(event.text);
    },
  });
  for (const chunk of chunks) parser.feed(chunk);
  const { blocks } = parser.end({ finish: "stop" });
  expect(blocks[0]?.status).toBe("complete");
  expect(deltas.join("")).toBe("Dear friend");
});

it("should run the example of bindPlan", () => {
  const answer = written.replace("Note", "Report.Build");
  const [block] = parse(answer).blocks;
  const plan = block && bindPlan(block, tools);
  const errors = plan?.steps.flatMap((step) => step.errors);
  expect(errors).toMatchObject([{ type: "UnknownTool" }]);
});

it("should run the example of serialize", () => {
  const answer = written.replace("command:", "Command : ");
  const [block] = parse(answer).blocks;
  const text = block && serialize(block);
  expect(text).toBe(written);
});

it("should run the example of the protocol", () => {
  const protocol = tamProtocol({ prompt: tamPrompt }); // tamPrompt of @toolglot/prompts/tam
  const system = protocol.instructions(tools, { locale: "en", mode: "loop" });
  expect(system).toContain("Keeps a note.");
});
