import { readdirSync, readFileSync, realpathSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { leakedCalls } from "../../src/text-layer.ts";

const tools = [{ name: "get_weather" }, { name: "Read" }];
const found = (text: string, known = tools): [string, string][] =>
  leakedCalls(text, known).map(({ format, span }) => [format, text.slice(span.start, span.end)]);

const hermes = '<tool_call>\n{"name": "get_weather", "arguments": {"city": "SF"}}\n</tool_call>';
const invoke = '<invoke name="Read">\n<parameter name="path">a.txt</parameter>\n</invoke>';

describe("leakedCalls", () => {
  it("returns every call with its format and its place", () => {
    const text = `I look.\n${hermes}\nand\n${invoke}\nNow [TOOL_CALLS]Read{"path": "b"}\nDone.`;
    expect(found(text)).toEqual([
      ["a JSON tool call", hermes],
      ["a tool call in XML", invoke],
      ["a Mistral call", '[TOOL_CALLS]Read{"path": "b"}'],
    ]);
  });

  it("takes the marks of one call together, also where its end is missing", () => {
    const cut = '<|tool_calls_section_begin|><|tool_call_begin|>functions.Read:0<|tool_call_argument_begin|>{"path"';
    expect(found(`Yes. ${cut}`)).toEqual([["a Kimi call", cut]]);
    const whole = `${cut}: "a"}<|tool_call_end|><|tool_calls_section_end|>`;
    expect(found(`${whole}\nmore`)).toEqual([["a Kimi call", whole]]);
  });

  it.each([
    ["inline code", `Qwen writes \`<tool_call>{"name": "Read", "arguments": {}}</tool_call>\`.`],
    ["a fence that a sentence follows", `As this:\n\`\`\`xml\n${hermes}\n\`\`\`\nThat is all.`],
    ["a fence that a list follows", `As this:\n\`\`\`\n${hermes}\n\`\`\`\n→ a call`],
    ["a fence of a program", "At the end:\n```js\nread('a', 1);\n```\n"],
    ["a fence that names no tool", 'So:\n```json\n{"name": "other", "arguments": {}}\n```\n'],
    ["a mention of an element", "The tag <tool_call> begins it, and </tool_call> ends it."],
  ])("takes %s for a mention", (_, text) => expect(found(text)).toEqual([]));

  it("finds a call in a fence at the end, by the name of its tool", () => {
    expect(found(`I call:\n\`\`\`json\n{"name": "Read", "arguments": {"path": "a"}}\n\`\`\`\n`)).toHaveLength(1);
  });

  it("leaves out the blocks of the text's own protocol", () => {
    const text = "<tools>\n<read><file src=a/></read>\n</tools>";
    expect(leakedCalls(text, [], "toolsxml")).toEqual([]);
    expect(leakedCalls(text).map(({ format }) => format)).toEqual(["a ToolsXML block"]);
  });

  it("is total, and its spans lie in the text, in order", () => {
    const pieces = fc.constantFrom(
      hermes,
      invoke,
      "```\n",
      "`",
      "\n",
      "<|tool_call_begin|>",
      "</invoke>",
      "<tools>",
      "x ",
      "Read(a=1)",
    );
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 12 }), (parts) => {
        const text = parts.join("");
        let last = 0;
        for (const { span } of leakedCalls(text, tools)) {
          expect(span.start).toBeGreaterThanOrEqual(last);
          expect(span.end).toBeGreaterThan(span.start);
          expect(span.end).toBeLessThanOrEqual(text.length);
          last = span.end;
        }
      }),
    );
  });
});

it("raises no false alarm over what people write in Markdown: the files of the dependencies and of this repository", () => {
  const names =
    "Bash Read Write Edit Glob Grep Task WebFetch shell exec_command apply_patch read write edit list grep search read_file write_file";
  const known = names.split(" ").map((name) => ({ name }));
  const root = realpathSync(new URL("../../../..", import.meta.url));
  const files = markdownIn(join(root, "node_modules/.pnpm"), 400).concat(markdownIn(join(root, "docs"), 400));
  const alarms = files.flatMap((path) => {
    const text = readFileSync(path, "utf8");
    return [...leakedCalls(text), ...leakedCalls(text, known)].map(({ format }) => `${path}: ${format}`);
  });
  expect(alarms).toEqual([]);
  expect(files.length).toBeGreaterThan(150);
});

/** Files of Markdown in a folder, at most so many. */
function markdownIn(folder: string, most: number, found: string[] = []): string[] {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) markdownIn(path, most, found);
    else if (entry.isFile() && /\.md$/i.test(entry.name) && found.length < most) found.push(path);
    if (found.length >= most) break;
  }
  return found;
}
