// The examples of the doc comments, word for word, and what they come to. The one of core's bridge is here, because it needs a protocol.
import { join } from "node:path";
import { type BridgeEvent, createBridge } from "@toolglot/core/bridge";
import { testDocExamples } from "@toolglot/internal/testing/doc-examples";
import { createParser, parse, serialize, toolsxmlProtocol } from "@toolglot/toolsxml";
import { expect, it } from "vitest";
import { toolsxmlPrompt } from "../../prompts/src/toolsxml/index.ts";

const tools = [{ name: "note", description: "Keeps a note.", inputSchema: {} }];

testDocExamples([import.meta.filename], [join(import.meta.dirname, "../src")], 4);

it("should run the example of parse", () => {
  const answer = '<tools><command timeout="60">npm test && echo "a < b"</command></tools>';
  const [block] = parse(answer).blocks;
  const call = block?.calls[0]; // { tool: "command", script: 'npm test && echo "a < b"', timeoutMs: 60_000, … }
  expect(call).toMatchObject({ tool: "command", script: 'npm test && echo "a < b"', timeoutMs: 60_000 });
});

it("should run the example of createParser", () => {
  const deltas: string[] = [];
  const chunks = [
    "<tools><edit><file src='a'><fi",
    "nd>x < y</fi",
    "nd><replace>y &lt; x</replace></file></edit></tools>",
  ];
  const parser = createParser({
    onEvent(event) {
      if (event.type === "body-delta") deltas.push(event.text);
    },
  });
  for (const chunk of chunks) parser.feed(chunk);
  const { blocks } = parser.end({ finish: "stop" });
  expect(blocks[0]?.calls).toHaveLength(1);
  expect(deltas.join("")).toBe("x < yy < x");
});

it("should run the example of serialize", () => {
  const answer = "<tools><command>ls</command></tools>";
  const [block] = parse(answer).blocks;
  const text = block && serialize(block);
  expect(parse(text ?? "").blocks[0]?.calls).toMatchObject([{ tool: "command", script: "ls" }]);
});

it("should run the example of the protocol", () => {
  const protocol = toolsxmlProtocol({ prompt: toolsxmlPrompt }); // toolsxmlPrompt of @toolglot/prompts/toolsxml
  const system = protocol.instructions(tools, { locale: "en", mode: "loop" });
  expect(system).toContain("Keeps a note.");
});

it("should run the example of core's bridge", () => {
  const protocol = toolsxmlProtocol({ prompt: toolsxmlPrompt });
  const chunks = ["Done soon.\n<tools><note>{}</no", "te></tools>"];
  const bridge = createBridge(protocol, { tools });
  const events: BridgeEvent[] = [];
  const reader = bridge.createReader({ onEvent: (event) => events.push(event) });
  for (const chunk of chunks) reader.feed(chunk);
  const { calls } = reader.end({ finish: "stop" });
  expect(calls).toBe(1);
  expect(events).toContainEqual(expect.objectContaining({ type: "call", tool: "note", input: {} }));
});
