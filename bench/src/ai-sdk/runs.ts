import { hermesToolMiddleware, morphXmlToolMiddleware, qwen3CoderToolMiddleware } from "@ai-sdk-tool/parser";
import { toolglotMiddleware } from "@toolglot/ai-sdk";
import type { ToolDefinition, ToolProtocol } from "@toolglot/core";
import { tamPrompt } from "@toolglot/prompts/tam";
import { toolsxmlPrompt } from "@toolglot/prompts/toolsxml";
import { tamProtocol } from "@toolglot/tam";
import { toolsxmlProtocol } from "@toolglot/toolsxml";

/** A middleware in the benchmark, with the text a model would write for it. */
export interface Runner {
  name: string;
  encode(bodies: readonly string[]): string;
  // biome-ignore lint/suspicious/noExplicitAny: middlewares of two packages.
  middleware: any;
  /** Ours: the protocol, for its bare parser. */
  protocol?: ToolProtocol;
}

const text = { type: "string" } as const;
const writeFile: ToolDefinition = {
  name: "write_file",
  description: "Writes a file.",
  inputSchema: {
    type: "object",
    properties: { path: text, content: { ...text, "x-raw-body": true } },
    required: ["path", "content"],
  },
};

/** Ours writes an answer as it writes a history. */
const own = (name: string, protocol: ToolProtocol): Runner => ({
  name,
  protocol,
  encode(bodies) {
    const calls = bodies.map((content, at) => ({
      id: `${at}`,
      name: "write_file",
      input: { path: `${at}`, content },
      protocol: "bench",
    }));
    const actions = [{ kind: "calls" as const, calls, span: { start: 0, end: 0 } }];
    return protocol.formatActions(actions, { tools: [writeFile], lossy: true });
  },
  middleware: toolglotMiddleware({ protocol, specificationVersion: "v3" }),
});

/** A format of `@ai-sdk-tool/parser`. */
const peer = (format: string, middleware: unknown, write: (content: string, path: string) => string): Runner => ({
  name: `@ai-sdk-tool/parser 4.1.26 ${format}`,
  encode: (bodies) => bodies.map((content, at) => write(content, `${at}`)).join("\n"),
  middleware,
});

export const runners: readonly Runner[] = [
  own("toolglot, ToolsXML", toolsxmlProtocol({ prompt: toolsxmlPrompt })),
  own("toolglot, TAM", tamProtocol({ prompt: tamPrompt })),
  peer("hermes", hermesToolMiddleware, (content, path) => {
    const call = JSON.stringify({ name: "write_file", arguments: { path, content } });
    return `<tool_call>\n${call}\n</tool_call>`;
  }),
  peer(
    "morph-xml, raw",
    morphXmlToolMiddleware,
    (content, path) => `<write_file>\n<path>${path}</path>\n<content>${content}</content>\n</write_file>`,
  ),
  peer(
    "qwen3coder",
    qwen3CoderToolMiddleware,
    (content, path) =>
      `<tool_call>\n<function=write_file>\n<parameter=path>${path}</parameter>\n<parameter=content>${content}</parameter>\n</function>\n</tool_call>`,
  ),
];

interface Part {
  type: string;
  [key: string]: unknown;
}

const prompt = [{ role: "user", content: [{ type: "text", text: "Write." }] }];
const tools = [
  { type: "function", name: "write_file", description: "Writes a file.", inputSchema: writeFile.inputSchema },
];

const timeIsOver = new Error("The time is over.");

/** The provider's stream. It fails when the time is over: a middleware that gives nothing before the end can't be stopped otherwise. */
function streamOf(chunks: readonly string[], expired: () => boolean): ReadableStream<Part> {
  let at = -1;
  return new ReadableStream<Part>({
    pull(controller) {
      if (expired()) {
        controller.error(timeIsOver);
        return;
      }
      at += 1;
      const delta = chunks[at - 1];
      if (at === 0) controller.enqueue({ type: "text-start", id: "1" });
      else if (delta !== undefined) controller.enqueue({ type: "text-delta", id: "1", delta });
      else {
        controller.enqueue({ type: "text-end", id: "1" });
        controller.enqueue({ type: "finish", finishReason: { unified: "stop", raw: "stop" }, usage: {} });
        controller.close();
      }
    },
  });
}

/** What a stream gave: how many deltas of inputs, and the bodies of its calls. */
export interface Outcome {
  deltas: number;
  bodies: unknown[];
}

async function read(stream: ReadableStream<Part>): Promise<Outcome> {
  const found: Outcome = { deltas: 0, bodies: [] };
  for await (const { type, input } of stream) {
    if (type === "tool-input-delta") found.deltas += 1;
    if (type === "tool-call") found.bodies.push((JSON.parse(input as string) as { content?: unknown }).content);
  }
  return found;
}

/** An answer in chunks through a middleware; undefined when it took too long. */
export async function throughMiddleware(
  { middleware }: Runner,
  chunks: readonly string[],
  expired: () => boolean,
): Promise<Outcome | undefined> {
  const model = { specificationVersion: "v3", provider: "bench", modelId: "m" };
  const params = await middleware.transformParams({ type: "stream", params: { prompt, tools }, model });
  const doStream = async () => ({ stream: streamOf(chunks, expired) });
  const { stream } = await middleware.wrapStream({ doStream, doGenerate: doStream, params, model });
  try {
    return await read(stream);
  } catch (error) {
    if (expired()) return undefined;
    throw error;
  }
}

/** The same chunks through the bare parser, behind a stream that changes nothing. */
export async function throughParser(protocol: ToolProtocol, chunks: readonly string[]): Promise<void> {
  const parser = protocol.createParser({ tools: [writeFile], onEvent: () => undefined });
  const stream = streamOf(chunks, () => false).pipeThrough(new TransformStream<Part, Part>());
  for await (const { type, delta } of stream) if (type === "text-delta") parser.feed(delta as string);
  parser.end();
}
