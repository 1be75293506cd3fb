/** Tools that nobody made for ToolsXML: schemas of the public MCP servers for files, memory and web pages, as they are published. */
import type { ToolDefinition } from "@toolglot/core";
import { type BridgeEvent, createBridge } from "@toolglot/core/bridge";
import { CallGuard } from "@toolglot/core/check-call";
import { cut } from "@toolglot/internal/testing/parsers";
import { expect, it } from "vitest";
import { toolsxmlProtocol } from "../src/index.ts";

const schema = "http://json-schema.org/draft-07/schema#";
const tools: ToolDefinition[] = [
  {
    name: "write_file",
    description: "Create a new file or completely overwrite an existing file with new content.",
    inputSchema: {
      type: "object",
      properties: { path: { type: "string" }, content: { type: "string" } },
      required: ["path", "content"],
      additionalProperties: false,
      $schema: schema,
    },
  },
  {
    name: "edit_file",
    description: "Make line-based edits to a text file.",
    inputSchema: {
      type: "object",
      properties: {
        path: { type: "string" },
        edits: {
          type: "array",
          items: {
            type: "object",
            properties: {
              oldText: { type: "string", description: "Text to search for - must match exactly" },
              newText: { type: "string", description: "Text to replace with" },
            },
            required: ["oldText", "newText"],
            additionalProperties: false,
          },
        },
        dryRun: { type: "boolean", default: false, description: "Preview changes using git-style diff format" },
      },
      required: ["path", "edits"],
      additionalProperties: false,
      $schema: schema,
    },
  },
  {
    name: "fetch",
    description: "Fetches a URL from the internet.",
    inputSchema: {
      type: "object",
      properties: {
        url: { type: "string", format: "uri", minLength: 1, description: "URL to fetch", title: "Url" },
        max_length: { type: "integer", default: 5000, exclusiveMinimum: 0, exclusiveMaximum: 1000000 },
        note: { type: "string", minLength: 1, maxLength: 5000, description: "Why it is fetched" },
      },
      required: ["url"],
    },
  },
];
const protocol = toolsxmlProtocol({ prompt: { forProtocol: "toolsxml/1", build: ({ toolsText }) => toolsText } });
// Values that are nothing but a closing mark are what this is about.
const bridge = createBridge(protocol, { tools, guard: new CallGuard({ mode: "report" }) });

function read(text: string): { calls: [string, unknown][]; deltas: number; findings: string[] } {
  const events: BridgeEvent[] = [];
  const reader = bridge.createReader({ onEvent: (event) => events.push(event) });
  for (const chunk of cut(text, [16])) reader.feed(chunk);
  const { diagnostics } = reader.end();
  return {
    calls: events.flatMap((event): [string, unknown][] => (event.type === "call" ? [[event.tool, event.input]] : [])),
    deltas: events.filter(({ type }) => type === "input-delta").length,
    findings: diagnostics.map(({ code }) => code),
  };
}

const page = `<!doctype html>\n${'  <p class="card">Tom & Jerry\'s "best" \\o/ \u001b</p>\n'.repeat(60)}`;
const plain = "\tindented first\nline\n".repeat(60);
it.each([
  ["a child element", `<write_file><path>a.txt</path><content>\n${plain}\n</content></write_file>`, plain],
  ["CDATA", `<write_file>\n  <path>a.html</path>\n  <content><![CDATA[\n${page}\n]]></content>\n</write_file>`, page],
  [
    "CDATA on lines of its own",
    `<write_file path="a.html">\n<content>\n<![CDATA[${page}]]>\n</content>\n</write_file>`,
    page.slice(0, -1),
  ],
  ["an attribute", `<write_file path="a.txt" content="${plain}"/>`, plain],
  [
    "an element before another",
    `<write_file><content>${plain}\n</content><path>a.txt</path></write_file>`,
    plain.replace(/^\n/, ""),
  ],
])("a text streams in %s, and arrives as it was written", (_, call, content) => {
  const { calls, deltas, findings } = read(`I write it.\n<tools>\n${call}\n</tools>`);
  expect(findings).toEqual([]);
  expect(calls).toMatchObject([["write_file", { content }]]);
  expect(deltas).toBeGreaterThan(30);
});

it("streams a text with limits and a description behind other parameters", () => {
  const note = "because ".repeat(100);
  const { calls, deltas } = read(
    `<tools><fetch url="https://a.example/?q=1&amp;r=2" max_length="10"><note>${note}</note></fetch></tools>`,
  );
  expect(calls).toEqual([["fetch", { url: "https://a.example/?q=1&r=2", max_length: 10, note }]]);
  expect(deltas).toBeGreaterThan(20);
});

it("remembers calls as they were taught, and reads them back", () => {
  const asked: [string, Record<string, unknown>][] = [
    ["write_file", { path: "a.html", content: page }],
    ["edit_file", { path: "a", edits: [{ oldText: "a\n\tb", newText: "</edits>" }], dryRun: true }],
    [
      "edit_file",
      {
        path: "a",
        edits: [
          { oldText: "<find>\n", newText: "x\n</parameter>\n</invoke>" },
          { oldText: "\n\n", newText: "" },
        ],
      },
    ],
    ["edit_file", { path: "a", edits: [] }],
    ["fetch", { url: "https://a.example", max_length: 7 }],
  ];
  const parts = asked.map(([name, input], at) => ({
    type: "call" as const,
    call: { id: `${at}`, name, input, protocol: "x" },
  }));
  const [message] = bridge.encode([{ role: "assistant", trust: "user", parts }]);
  const [part] = message?.parts ?? [];
  const text = part?.type === "text" ? part.text : "";
  expect(text).toContain(page);
  expect(text).not.toMatch(/\\u003c|\\n|&lt;/);
  expect(read(text)).toMatchObject({ calls: asked, findings: [] });
  expect(bridge.system).toContain("    <content>\n…\n</content>\n");
  expect(bridge.system).toContain('<fetch url="…"/>');
});

it.each(['content="<p class="x">one</p>"', 'content="print(\\"hi\\")"'])(
  "says where a text with quotes belongs: %s",
  (attribute) => {
    const parser = protocol.createParser({ tools });
    parser.feed(`<tools><write_file path="a" ${attribute}/></tools>`);
    expect(parser.end().diagnostics[0]).toMatchObject({
      code: "toolsxml/malformed-tag",
      hint: expect.stringContaining("as a child element"),
    });
  },
);
