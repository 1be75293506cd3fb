import { attpProtocol } from "@toolglot/attp";
import type { ToolDefinition, ToolProtocol } from "@toolglot/core";
import { type Bridge, type BridgeEvent, type BridgeOptions, createBridge } from "@toolglot/core/bridge";
import { attpJavascriptPrompt, attpPrompt } from "@toolglot/prompts/attp";
import { tamPrompt } from "@toolglot/prompts/tam";
import { toolsxmlPrompt } from "@toolglot/prompts/toolsxml";
import { tamProtocol } from "@toolglot/tam";
import { toolsxmlProtocol } from "@toolglot/toolsxml";

export const toolsxml: ToolProtocol = toolsxmlProtocol({ prompt: toolsxmlPrompt }) as ToolProtocol;
export const tam: ToolProtocol = tamProtocol({ prompt: tamPrompt }) as ToolProtocol;
export const attp: ToolProtocol = attpProtocol({ prompt: attpPrompt }) as ToolProtocol;
export const attpJs: ToolProtocol = attpProtocol({
  prompt: attpJavascriptPrompt,
  language: "javascript",
}) as ToolProtocol;

export const callProtocols: [string, ToolProtocol][] = [
  ["toolsxml", toolsxml],
  ["tam", tam],
];
export const codeProtocols: [string, ToolProtocol][] = [
  ["attp", attp],
  ["attp-js", attpJs],
];

const text = { type: "string" } as const;

export const writeFile: ToolDefinition = {
  name: "write_file",
  description: "Writes a file.",
  inputSchema: {
    type: "object",
    properties: { path: text, content: { ...text, "x-raw-body": true } },
    required: ["path", "content"],
  },
};
export const weather: ToolDefinition = {
  name: "weather",
  description: "Tells the weather of a city.",
  inputSchema: { type: "object", properties: { city: text, days: { type: "integer" } }, required: ["city"] },
  annotations: { readOnlyHint: true },
};
export const tools: ToolDefinition[] = [writeFile, weather];
const runProgram: ToolDefinition = {
  name: "run_program",
  description: "Runs a program.",
  inputSchema: { type: "object", properties: { code: text }, required: ["code"] },
};

/** A bridge of calls, or of programs. */
export function bridgeOf(protocol: ToolProtocol, options: Partial<BridgeOptions> = {}): Bridge {
  const programs =
    protocol.carries === "code" ? { tools: [runProgram], programs: { tool: "run_program", tools } } : { tools };
  return createBridge(protocol, { ...programs, ...options });
}

/** What a bridge told of a text in chunks: neighbouring texts and pieces of one input are joined. */
export function readAnswer(bridge: Bridge, chunks: readonly string[], end = {}) {
  const events: BridgeEvent[] = [];
  let at = 0;
  const reader = bridge.createReader({
    newId: () => `c${at++}`,
    onEvent(event) {
      const last = events.at(-1);
      if (
        last &&
        "text" in last &&
        "text" in event &&
        last.type === event.type &&
        event.type !== "refusal" &&
        idOf(last) === idOf(event)
      )
        events[events.length - 1] = { ...last, text: last.text + event.text };
      else events.push(event);
    },
  });
  for (const chunk of chunks) reader.feed(chunk);
  const answer = reader.end(end);
  return { events, answer };
}

const idOf = (event: BridgeEvent): string => ("id" in event ? event.id : "");

/** A call as the protocol writes it. */
export function write(protocol: ToolProtocol, ...calls: [name: string, input: Record<string, unknown>][]): string {
  return protocol.formatActions(
    [
      {
        kind: "calls",
        calls: calls.map(([name, input], at) => ({ id: `${at}`, name, input, protocol: "test" })),
        span: { start: 0, end: 0 },
      },
    ],
    { tools },
  );
}

/** A program as the protocol writes it. */
export function writeProgram(protocol: ToolProtocol, source: string): string {
  const language = protocol.id === "attp-js" ? "javascript" : "python";
  return protocol.formatActions([{ kind: "code", id: "", language, source, span: { start: 0, end: 0 } }]);
}
