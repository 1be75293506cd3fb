import { type JsonValue, type ToolDefinition, toJsonText } from "@toolglot/core";
import { exactJsonText } from "@toolglot/core/text";
import { checkKeys } from "@toolglot/internal";
import { rawProperty } from "./calls/custom.ts";
import { type BodyText, cdataEnd, cdataStart, exactText, scriptText } from "./scan/body-text.ts";
import { builtIns, looseTags } from "./scan/grammar.ts";
import { entity } from "./scan/tag.ts";
import type { ToolsXmlBlock, ToolsXmlCall } from "./types.ts";
import { attributes } from "./xml-text.ts";

type Tools = ReadonlyMap<string, ToolDefinition>;

/** How {@link serialize} writes. */
export interface SerializeOptions {
  /** The declared tools: those with a raw body get theirs as text, the others' input is written as JSON. */
  tools?: readonly ToolDefinition[];
}

/**
 * Canonical ToolsXML for a block, without a fence. `parse` with the same tools gives the same calls and comments. Bodies
 * stand as they are where that reads back alike, else in CDATA. Comments come where their spans say, `-->` in one is parted.
 *
 * Throws `TypeError` for a tool name that can't be a tag, or is that of a built-in tag, and for a value beside a raw body
 * that an attribute can't hold.
 */
export function serialize(block: Pick<ToolsXmlBlock, "calls" | "comments">, options: SerializeOptions = {}): string {
  checkKeys("serialize", options, "tools:list");
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
            `      ${element("find", { all: all || undefined }, find === "" ? cdata(find) : textBody(find, "find", tools)).trimStart()}\n` +
            `      ${element("replace", {}, textBody(replace, "replace", tools)).trimStart()}\n`,
        );
        return `    <file${attributes({ src, encoding })}>\n${pairs.join("")}    </file>\n`;
      });
      return `  <edit>\n${files.join("")}  </edit>`;
    }
    case "read": {
      const files = call.files.map((file) => `    <file${attributes({ ...file })}/>\n`);
      const searches = call.searches.map((search) => `    <search${attributes({ ...search })}/>\n`);
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

function customText(name: string, input: Readonly<Record<string, JsonValue>>, tools: Tools): string {
  if (!/^[^\s<>/="'!?&;(){}[\],|`$]+$/.test(name))
    throw new TypeError(`The tool name ${JSON.stringify(name)} can't be a tag: give the tool a name without it.`);
  if ((builtIns as readonly string[]).includes(name.toLowerCase()))
    throw new TypeError(`<${name}> is a built-in tag: give the tool another name.`);
  const tool = tools.get(name);
  const raw = tool && rawProperty(tool);
  const body = raw === undefined ? undefined : input[raw];
  if (raw === undefined) return element(name, {}, json(input));
  const rest: Record<string, string> = {};
  for (const [key, value] of Object.entries(input)) {
    if (key === raw) continue;
    if (!/^[^\s=<>"'/]+$/.test(key))
      throw new TypeError(`The parameter ${JSON.stringify(key)} of ${name} can't be an attribute: rename it.`);
    rest[key] = typeof value === "string" ? value : toJsonText(value);
  }
  if (body !== undefined && typeof body !== "string")
    throw new TypeError(`The parameter ${raw} of ${name} is its raw body, and has to be a string.`);
  return element(name, rest, body === undefined ? undefined : textBody(body, name, tools));
}

/** Without a body it closes itself. */
function element(name: string, values: Record<string, string | number | boolean | undefined>, body?: string): string {
  const open = `  <${name}${attributes(values)}`;
  return body === undefined ? `${open}/>` : `${open}>${body}</${name}>`;
}

/** A script as it stands, on lines of its own when it has several. */
function scriptBody(script: string, tools: Tools): string {
  const plain = script.includes("\n") ? `\n${script}\n  ` : script;
  return readsBack(plain, script, scriptText) && !isDoubtful(plain, "command", tools) ? plain : cdata(script);
}

function textBody(text: string, name: string, tools: Tools): string {
  const plain = text.includes("\n") ? `\n${text}\n` : text;
  return readsBack(plain, text, exactText) && !isDoubtful(plain, name, tools) ? plain : cdata(text);
}

/** Whether a body reads back alike, and nothing in it could be taken for the end or for CDATA. */
function readsBack(body: string, text: string, read: (raw: string) => BodyText): boolean {
  entity.lastIndex = 0;
  if (body.includes("\r") || /<(?:\/|!\[|$)|\]\]>/.test(body) || entity.test(body)) return false;
  if (/<[ \t]*(?:command|find|replace|tools|file|edit)/i.test(body)) return false;
  return read(body).text === text;
}

/** Whether a reader could take something in a body for a tag that lost its partner. */
function isDoubtful(body: string, name: string, tools: Tools): boolean {
  const known = [...builtIns, ...tools.keys()].map((one) => one.toLowerCase());
  return looseTags(name.toLowerCase(), known).find(body, name === "command") !== undefined;
}

/** Exact; what would open or close CDATA inside is parted over two sections. */
function cdata(text: string): string {
  const parted = text.replace(/\]\]>|<!\[CDATA\[/g, (mark) => mark.slice(0, 2) + cdataEnd + cdataStart + mark.slice(2));
  return `${cdataStart}${parted}${cdataEnd}`;
}

const inputEscapes: Record<string, string> = { "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t", "\u001b": "\\e" };

/** `<` and `&` are escaped too where they could be taken for markup. */
function inputBody(data: string, tools: Tools): string {
  const text = data.replace(
    /[\\\p{Cc}]/gu,
    (unit) => inputEscapes[unit] ?? `\\x${unit.charCodeAt(0).toString(16).padStart(2, "0")}`,
  );
  entity.lastIndex = 0;
  const plain =
    /<[/!a-z]|<$/i.test(text) || entity.test(text)
      ? text.replace(/[<&]/g, (unit) => (unit === "<" ? "\\x3c" : "\\x26"))
      : text;
  return isDoubtful(plain, "input", tools) ? cdata(text) : plain;
}

const json = (value: unknown): string => exactJsonText(value, /[<&]/g);
