import type { ToolDefinition } from "@toolglot/core";
import { type BridgeEvent, createBridge } from "@toolglot/core/bridge";
import { cut } from "@toolglot/internal/testing/parsers";
import fc from "fast-check";
import { expect, it } from "vitest";
import { tamProtocol } from "../src/index.ts";

const string = { type: "string" } as const;
const tools: ToolDefinition[] = [
  {
    name: "write_file",
    description: "",
    inputSchema: {
      type: "object",
      properties: { path: string, content: { ...string, "x-preserve-whitespace": true, maxLength: 100_000 } },
    },
  },
];
const protocol = tamProtocol({ prompt: { forProtocol: "tam/1", build: ({ toolsText }) => toolsText } });

function read(content: string, sizes: number[]): { input: unknown; joined: string; deltas: number } {
  const events: BridgeEvent[] = [];
  const reader = createBridge(protocol, { tools }).createReader({ onEvent: (event) => events.push(event) });
  const text = `<|[REQUEST_TOOL]|>\ncommand:»»»write_file«««\npath:»»»a«««\ncontent:»»»${content}«««\n<|[END_TOOL]|>`;
  for (const chunk of cut(text, sizes)) reader.feed(chunk);
  reader.end();
  const deltas = events.flatMap((event) => (event.type === "input-delta" ? [event.text] : []));
  const call = events.find((event) => event.type === "call");
  return { input: call?.type === "call" ? call.input : undefined, joined: deltas.join(""), deltas: deltas.length };
}

it("streams a text whose white space is kept, and what is told is what the tool gets", () => {
  const { input, joined, deltas } = read(`\n    indented = 1\n${"line\n".repeat(200)}\n  \n`, [8]);
  expect(input).toEqual({ path: "a", content: `    indented = 1\n${"line\n".repeat(200)}\n  ` });
  expect(JSON.parse(joined)).toEqual(input);
  expect(deltas).toBeGreaterThan(50);
});

it("does so for any white space in any chunks", () => {
  const text = fc.array(fc.constantFrom("\n", "\r\n", "\r", " ", "\t", "a", "b c", "\u3000"), { maxLength: 9 });
  fc.assert(
    fc.property(text, fc.array(fc.integer({ min: 1, max: 5 }), { minLength: 1, maxLength: 3 }), (parts, sizes) => {
      const raw = parts.join("");
      const whole = read(raw, [100_000]);
      expect(read(raw, sizes)).toMatchObject({ input: whole.input, joined: whole.joined });
      expect(whole.input).toEqual({ path: "a", content: raw.replace(/^\r?\n/, "").replace(/\r?\n$/, "") });
    }),
  );
});
