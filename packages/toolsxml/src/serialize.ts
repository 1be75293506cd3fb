import type { ToolDefinition } from "@toolglot/core";
import { checkKeys } from "@toolglot/internal";
import type { ToolsXmlBlock, ToolsXmlCall } from "./types.ts";
import { cdata, exactAttributes, inputBody, json, scriptBody, type Tools, textBody } from "./write-body.ts";
import { customText } from "./write-custom.ts";

/** How {@link serialize} writes. */
export interface SerializeOptions {
  /** The declared tools: their schemas say in which form each parameter is written. */
  tools?: readonly ToolDefinition[];
}

/**
 * Writes a block as canonical ToolsXML, without a fence. `parse` with the same tools returns the same calls and comments. Bodies
 * stand as they are where that reads back alike, else in CDATA. Comments come where their spans say, `-->` in one is parted.
 *
 * The parameters of a declared tool stand where the manual shows them: short ones in attributes, texts as they are in child elements,
 * and as JSON what has no such form.
 *
 * Throws `TypeError` for a tool name that can't be a tag, or is that of a built-in tag.
 *
 * @example
 * ```ts
 * const [block] = parse(answer).blocks;
 * const text = block && serialize(block);
 * ```
 */
export function serialize(block: Pick<ToolsXmlBlock, "calls" | "comments">, options: SerializeOptions = {}): string {
  checkKeys("serialize", options, "tools:object[]");
  const tools = new Map((options.tools ?? []).map((tool) => [tool.name, tool]));
  const pieces = [
    ...block.calls.map((call) => ({ at: call.span.start, text: callText(call, tools) })),
    ...block.comments.map(({ text, span }) => ({ at: span.start, text: commentText(text) })),
  ].sort((a, b) => a.at - b.at);
  return `<tools>\n${pieces.map(({ text }) => `${text}\n`).join("")}</tools>\n`;
}

function commentText(text: string): string {
  const inner = text.trim().replaceAll("-->", "-- >");
  return inner === "" ? "  <!---->" : `  <!-- ${inner} -->`;
}

function callText(call: ToolsXmlCall, tools: Tools): string {
  switch (call.tool) {
    case "command": {
      const timeout = call.timeoutMs === undefined ? undefined : call.timeoutMs / 1000;
      return element("command", { timeout, cwd: call.cwd }, scriptBody(call.script, tools));
    }
    case "edit": {
      const files = call.files.map(({ src, encoding, edits }) => {
        const pairs = edits.map(
          ({ find, replace, all }) =>
            `      ${element("find", { all: all || undefined }, find === "" ? cdata(find, "find") : textBody(find, "find", tools)).trimStart()}\n` +
            `      ${element("replace", {}, textBody(replace, "replace", tools)).trimStart()}\n`,
        );
        return `    <file${exactAttributes({ src, encoding })}>\n${pairs.join("")}    </file>\n`;
      });
      return `  <edit>\n${files.join("")}  </edit>`;
    }
    case "read": {
      const files = call.files.map((file) => `    <file${exactAttributes({ ...file })}/>\n`);
      const searches = call.searches.map((search) => `    <search${exactAttributes({ ...search })}/>\n`);
      return `  <read>\n${files.join("")}${searches.join("")}  </read>`;
    }
    case "get_value":
      return element("get_value", { key: call.key, reason: call.reason, note: call.note });
    case "input":
      return element("input", {}, inputBody(call.data, tools));
    case "ctrl":
      return element("ctrl", {}, call.key);
    case "mcp":
      return element("mcp", { server: call.server, tool: call.name }, json(call.arguments));
    case "custom":
      return customText(call.name, call.input, tools);
  }
}

/** Writes an element. Without a body it closes itself. */
function element(name: string, values: Record<string, string | number | boolean | undefined>, body?: string): string {
  const open = `  <${name}${exactAttributes(values)}`;
  return body === undefined ? `${open}/>` : `${open}>${body}</${name}>`;
}
