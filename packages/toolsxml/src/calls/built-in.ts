import { coerceText, type JsonObject, type JsonValue } from "@toolglot/core";
import { foreignCloser } from "@toolglot/core/text";
import { defined } from "@toolglot/internal";
import { cdataStart, literalText, scriptText, visibleText } from "../scan/body-text.ts";
import type { CommandCall, CtrlCall, GetValueCall, InputCall, McpCall } from "../types.ts";
import { attributesOf, optional, required } from "./report.ts";
import type { CallContext, Element } from "./types.ts";

const seconds = (text: string): number | undefined => {
  const value = /^\s*\d*\.?\d+(?:e[+-]?\d{1,3})?\s*$/i.test(text) ? Math.round(Number(text) * 1000) : 0;
  return value > 0 && value < Number.POSITIVE_INFINITY ? value : undefined;
};

export function readCommand(element: Element, to: CallContext): CommandCall | undefined {
  const { tag, end } = element;
  const given = attributesOf(tag, ["timeout", "cwd"], to);
  const body = scriptText(element.raw, element.indent);
  const script = to.bodyText(body, element);
  const isExact = element.raw.includes(cdataStart);
  if (!isExact && /^\s*\{\s*"/.test(script) && coerceText(script, { type: "object" }).success)
    to.report("toolsxml/invalid-value", tag.start, end, {
      severity: "warning",
      message: "The script is a JSON object.",
      hint: "Write the commands themselves, as the body of <command>.",
    });
  to.delta("script", script);
  if (script.trim() === "") to.report("toolsxml/empty-body", tag.start, end, { message: "The command is empty." });
  const timeoutMs = optional(given, "timeout", seconds, "a number of seconds above 0", to);
  const cwd = given.get("cwd")?.value;
  return { tool: "command", script, ...defined({ timeoutMs, cwd }), span: { start: tag.start, end } };
}

export function readGetValue(element: Element, to: CallContext): GetValueCall {
  const { tag, end } = element;
  const given = attributesOf(tag, ["key", "reason", "note"], to);
  const key = required(tag, given, "key", to) ?? "";
  const reason = required(tag, given, "reason", to) ?? "";
  const note = given.get("note")?.value;
  if (key && !/^[A-Za-z_][A-Za-z0-9_]*$/.test(key))
    to.report("toolsxml/invalid-attribute", tag.start, tag.end, {
      message: "key has to be letters, digits and _, no digit first.",
    });
  if (element.raw.trim() !== "") to.report("toolsxml/unexpected-body", tag.start, end);
  return { tool: "get_value", key, reason, ...defined({ note }), span: { start: tag.start, end } };
}

const escapes: Record<string, string> = { n: "\n", r: "\r", t: "\t", e: "\u001b", "\\": "\\" };

/** Decodes what `<input>` decodes; an unknown escape stays. */
function decodeInput(text: string, unknown?: () => void): string {
  return text.replace(/\\(?:x([\da-fA-F]{2})|([\s\S]?))/g, (all, hex: string | undefined, letter = "") => {
    if (hex) return String.fromCharCode(Number.parseInt(hex, 16));
    const decoded = escapes[letter];
    if (decoded === undefined) unknown?.();
    return decoded ?? all;
  });
}

export function readInput(element: Element, to: CallContext): InputCall {
  const { tag, end } = element;
  attributesOf(tag, [], to);
  let unknown = false;
  const data = decodeInput(to.bodyText(visibleText(literalText(element.raw), element.raw), element), () => {
    unknown = true;
  });
  to.delta("data", data);
  if (unknown) to.report("toolsxml/unknown-escape", element.bodyStart, element.bodyStart + element.raw.length);
  return { tool: "input", data, span: { start: tag.start, end } };
}

export function readCtrl(element: Element, to: CallContext): CtrlCall {
  const { tag, end } = element;
  attributesOf(tag, [], to);
  const text = to.bodyText(literalText(element.raw), element).trim();
  const key = /^[A-Z]$/.test(text) ? text.toLowerCase() : text;
  to.delta("key", key);
  if (!/^[a-z[\\\]^_]$/.test(key)) to.report("toolsxml/invalid-key", tag.start, end);
  return { tool: "ctrl", key, span: { start: tag.start, end } };
}

/** Returns the JSON object of a body; undefined when it is none, which is reported. */
export function readJson(element: Element, field: string, to: CallContext): JsonObject | undefined {
  const body = literalText(element.raw);
  let reading = coerceText(body.text, { type: "object" });
  if (!reading.success && body.entities === "decoded") {
    // An entity inside a JSON string may have been meant as it stands.
    const literal = coerceText(element.raw, { type: "object" });
    if (literal.success) {
      reading = literal;
      body.text = element.raw;
      body.entities = "literal";
    }
  }
  to.delta(field, to.bodyText(body, element));
  if (reading.success) {
    // What JSON escapes was meant.
    const closes = (value: JsonValue): boolean =>
      typeof value === "string"
        ? foreignCloser(value, "toolsxml") !== undefined
        : typeof value === "object" && value !== null && Object.values(value).some(closes);
    if (element.raw.includes("<") && closes(reading.value as JsonObject))
      to.repair("toolsxml/foreign-closer", element.bodyStart, element.end);
    return reading.value as JsonObject;
  }
  to.report("toolsxml/invalid-json", element.tag.start, element.end, {
    message: `The body is not a JSON object: ${reading.issue.message}.`,
  });
  return undefined;
}

export function readMcp(element: Element, to: CallContext): McpCall {
  const { tag, end } = element;
  const given = attributesOf(tag, ["server", "tool"], to);
  const server = required(tag, given, "server", to) ?? "";
  const name = required(tag, given, "tool", to) ?? "";
  const empty = element.raw.trim() === "";
  const args = (empty ? undefined : readJson(element, "arguments", to)) ?? {};
  return { tool: "mcp", server, name, arguments: args, span: { start: tag.start, end } };
}
