import type { EndOptions, ParseResult, ToolDefinition } from "@toolglot/core";
import {
  createParser,
  parse,
  type ToolsXmlBlock,
  type ToolsXmlCall,
  type ToolsXmlEvent,
  type ToolsXmlParseOptions,
} from "../src/index.ts";

export const tools: ToolDefinition[] = [
  {
    name: "write_file",
    description: "Writes a file.",
    inputSchema: {
      type: "object",
      properties: { path: { type: "string" }, mode: { type: "integer" }, text: { type: "string", "x-raw-body": true } },
      required: ["path", "text"],
    },
  },
  {
    name: "search",
    description: "Searches.",
    inputSchema: {
      type: "object",
      properties: {
        query: { type: "string" },
        limit: { type: "integer" },
        sites: { type: "array", items: { type: "string" } },
        filter: { type: "object", properties: { year: { type: "integer" }, tags: { type: "array" } } },
      },
      required: ["query"],
    },
  },
];

/** What a parser made of chunks: its result, and its events with neighbouring deltas of one field joined. */
export function readChunks(
  chunks: readonly string[],
  options: ToolsXmlParseOptions = {},
  end?: EndOptions,
): { result: ParseResult<ToolsXmlBlock>; events: ToolsXmlEvent[] } {
  const events: ToolsXmlEvent[] = [];
  const parser = createParser({
    tools,
    ...options,
    onEvent: (event) => {
      const last = events.at(-1);
      if (last && "text" in last && last.type === event.type && keyOf(last) === keyOf(event)) last.text += event.text;
      else events.push({ ...event });
    },
  });
  for (const chunk of chunks) parser.feed(chunk);
  return { result: parser.end(end), events };
}

function keyOf(event: ToolsXmlEvent): string | undefined {
  if (event.type === "body-delta") return `${event.call} ${event.field}`;
  return event.phase === "text" || event.phase === "reasoning" ? event.type : `${Math.random()}`;
}

export type Bare<T> = T extends unknown ? Omit<T, "span"> : never;

/** Calls without their places. */
export function bare(calls: readonly ToolsXmlCall[]): Bare<ToolsXmlCall>[] {
  return calls.map(({ span: _, ...call }) => call as Bare<ToolsXmlCall>);
}

/** The one block of a text, as status, calls and codes. */
export function read(
  text: string,
  options: ToolsXmlParseOptions = {},
): { status: string | undefined; calls: Bare<ToolsXmlCall>[]; codes: string[] } {
  const { blocks, diagnostics } = parse(text, { tools, ...options });
  return {
    status: blocks.length === 1 ? blocks[0]?.status : `${blocks.length} blocks`,
    calls: bare(blocks[0]?.calls ?? []),
    codes: diagnostics.map(({ code }) => code),
  };
}

/** The same inside `<tools>`. */
export function readTools(text: string, options?: ToolsXmlParseOptions): ReturnType<typeof read> {
  return read(`<tools>\n${text}\n</tools>`, options);
}
