import type { AttpDocument, AttpEvent } from "@toolglot/attp";
import type { TamBlock, TamEvent } from "@toolglot/tam";
import type { ToolsXmlBlock, ToolsXmlEvent } from "@toolglot/toolsxml";
import { attp } from "../implementations/attp.ts";
import { tam } from "../implementations/tam.ts";
import { toolsxml } from "../implementations/toolsxml.ts";
import type { CommonFixture } from "./fixture.ts";

const own = (object: object | undefined, key: string): unknown =>
  object && Object.getOwnPropertyDescriptor(object, key)?.value;

/** ATTP: a TOML document with code. */
export const attpFixture: CommonFixture<AttpDocument, AttpEvent> = {
  implementation: attp,
  block: (value) => `thought = "t"\n\n[tool_call]\nstatus = "success"\ntarget = "x"\ncode = '''\n${value}\n'''`,
  value: ({ toolCall }) => toolCall?.code,
  rich: [
    'thought = """',
    'Two steps: read "a", then write.',
    '"""',
    "",
    "[tool_call]",
    'status = "success"',
    'target = "notes"',
    'code = """',
    "rows = read('a.csv')",
    "if rows:",
    "    print(f'{len(rows)} é😀')  # \\\"quoted\\\"",
    "write('b.csv', rows)",
    '"""',
  ].join("\n"),
  facts: ({ toolCall }) =>
    [`code ${toolCall?.code}`, `target ${toolCall?.target}`].filter((fact) => !/undefined$/.test(fact)),
  endsItself: false,
  opener: "[tool_call]",
  hostile: ["[tool_call]", "thought = ", 'thought = """', "code = '''", "'''", "''", '"""', "status = "],
  keyed: (key) => ({
    text: `thought = "t"\n${JSON.stringify(key)} = "x"\n\n[tool_call]\nstatus = "success"\ntarget = "x"\ncode = "f()"`,
    read: ({ extra }) => own(extra, key),
  }),
};

/** TAM: a manifest of delimited fields. Outer underscores are no part of a key, so the tool declares the name. */
export const tamFixture: CommonFixture<TamBlock, TamEvent> = {
  implementation: tam,
  block: (value) => `<|[REQUEST_TOOL]|>\ncommand:»»»Note.Write«««\ntext:»»»${value}«««\n<|[END_TOOL]|>`,
  value: ({ steps }) => steps[0]?.params.text,
  rich: [
    "<|[REQUEST_TOOL]|>",
    "request_id:»»»r-1«««",
    "common_dir:»»»/tmp/a b«««",
    "# 写日志",
    "command_1:»»»File.Write«««",
    "  path_1:»»» notes.md «««",
    "content_1:»»»",
    "# Title « x »",
    "",
    "```js",
    "if (a << b) c >>> 1; // é😀",
    "```",
    "«««",
    "command_2:»»»Report.Build«««",
    "on_error_2:»»»continue«««",
    "type_hint_payload_2:»»»json«««",
    'payload_2:>>>{"a": [1, 2]}<<<',
    "uri_image_2:»»»fam://a/b.png«««",
    "<|[END_TOOL]|>",
  ].join("\n"),
  facts: ({ common, requestId, steps }) => [
    ...(requestId === undefined ? [] : [`request ${requestId}`]),
    ...Object.entries(common).map(([key, text]) => `common ${key} ${text}`),
    ...steps.flatMap(({ index, tool, params, uris }) => [
      `${index} tool ${tool}`,
      ...Object.entries(params).map(([key, text]) => `${index} ${key} ${text}`),
      ...Object.entries(uris).map(([key, text]) => `${index} uri ${key} ${text}`),
    ]),
  ],
  endsItself: true,
  opener: "<|[REQUEST_TOOL]|>",
  stop: "<|[END_TOOL]|>",
  hostile: [
    "<|[REQUEST_TOOL]|>",
    "<|[END_TOOL]|>",
    "a:»»»",
    "a:>>>",
    "»»»",
    "«««",
    "««",
    "<<<",
    "«««\n",
    "<|[",
    "# c\n",
  ],
  keyed: (key) => ({
    text: `<|[REQUEST_TOOL]|>\ncommand:»»»Note.Write«««\n${key}:»»»x«««\n<|[END_TOOL]|>`,
    options: { tools: [declares("Note.Write", key)] },
    read: ({ steps }) => own(steps[0]?.params, key),
  }),
};

/** ToolsXML: tags with raw bodies. */
export const toolsxmlFixture: CommonFixture<ToolsXmlBlock, ToolsXmlEvent> = {
  implementation: toolsxml,
  block: (value) => `<tools>\n  <command>${value}</command>\n</tools>`,
  value: ({ calls: [call] }) => (call?.tool === "command" ? call.script : undefined),
  rich: [
    "<tools>",
    "  <!-- two edits -->",
    '  <command timeout="30" cwd="src">',
    '    if a && b < c; then echo "</x> é😀"; fi',
    "    cat <<'EOF'",
    "    </find>",
    "    EOF",
    "  </command>",
    "  <edit>",
    '    <file src="a b.ts">',
    "      <find>const a: Array<string> = [];</find>",
    "      <replace>const a = new Map<string, number>();</replace>",
    "      <find>x &lt; y</find>",
    "      <replace></replace>",
    "    </file>",
    "  </edit>",
    '  <read><file src="package.json"/><file src="src/" from="1" to="20"/></read>',
    '  <get_value key="TOKEN" reason="to publish"/>',
    '  <mcp server="db" tool="query">{"sql": "select 1 < 2"}</mcp>',
    "  <input>yes\\n</input>",
    "  <ctrl>C</ctrl>",
    "</tools>",
  ].join("\n"),
  facts: ({ calls }) => calls.map(({ span: _, ...call }, index) => `${index} ${JSON.stringify(call)}`),
  endsItself: true,
  opener: "<tools>",
  stop: "</tools>",
  hostile: [
    "<tools>",
    "</tools>",
    "<command>",
    "</command>",
    "<edit><file>",
    "<![CDATA[",
    "]]>",
    "<!--",
    "<",
    "&",
    '<a b="',
  ],
  keyed: (key) => ({
    text: `<tools>\n  <note ${key}="x"/>\n</tools>`,
    options: { tools: [declares("note", key)] },
    read: ({ calls: [call] }) => (call?.tool === "custom" ? own(call.input, key) : undefined),
  }),
};

function declares(name: string, key: string): { name: string; description: string; inputSchema: { type: "object" } } {
  const properties = JSON.parse(`{${JSON.stringify(key)}:{"type":"string"}}`) as Record<string, { type: "string" }>;
  const inputSchema = { type: "object", properties } as const;
  return { name, description: "takes a note", inputSchema };
}
