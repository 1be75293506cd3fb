import type { Locale } from "@toolglot/core";
import { parse } from "smol-toml";
import { type Outcome, parseJson } from "../outcome.ts";
import type { Task } from "../task.ts";

/** The parts of an ATTP document, before they are written down. */
export interface DocumentParts {
  thought: string;
  target: string;
  code: string;
}

/** What the planner thinks, in the four points of the specification's template. */
export function documentParts(task: Task, code: string, language: Locale): DocumentParts {
  const zh = language === "zh";
  const tools = task.tools.join(", ") || (zh ? "不需要" : "none needed");
  const verified =
    task.tools.length === 0 ? "–" : zh ? `${tools} 存在于可用工具列表 ✓` : `${tools} in the list of available tools ✓`;
  const thought = zh
    ? `1. 理解用户请求：${task.understanding}\n2. 选择工具：${tools}\n3. 工具验证：${verified}\n4. 执行计划：${task.plan}`
    : `1. Understand the request: ${task.understanding}\n2. Choose tools: ${tools}\n3. Verify tools: ${verified}\n4. Plan: ${task.plan}`;
  return { thought, target: task.target, code };
}

/** A document as the protocol wants it. */
export function writeDocument({ thought, target, code }: DocumentParts): string {
  return `${thoughtField(thought)}\n\n[tool_call]\nstatus = "success"\ntarget = ${basicString(target)}\ncode = '''\n${code}\n'''\n`;
}

/** The `thought` line. */
export function thoughtField(thought: string): string {
  return `thought = """\n${thought.replaceAll("\\", "\\\\").replaceAll('"""', '""\\"')}\n"""`;
}

/** The document that declines. */
export function writeDecline(thought: string, message: string): string {
  return `${thoughtField(thought)}\n\n[tool_call]\nstatus = "fail"\nmessage = ${basicString(message)}\n`;
}

/** A one-line TOML string. */
export function basicString(text: string): string {
  // JSON escapes are TOML escapes, but for the delete character, which JSON leaves as it is.
  return JSON.stringify(text).replaceAll("\u007f", "\\u007F");
}

/** Reads `[tool_result]` documents out of a message. */
export function readAttpResults(text: string): Outcome[] {
  const start = text.search(/^\[tool_result\]/m);
  if (start < 0) return [];
  // A note of the host may stand around the document.
  const body = text.slice(start).replace(/^```\s*$[\s\S]*/m, "");
  try {
    const { tool_result: table } = parse(body) as { tool_result: Record<string, unknown> };
    return [readTable(table)];
  } catch {
    return [{ status: "error", errorType: "Unreadable", message: "the result could not be read" }];
  }
}

function readTable(table: Record<string, unknown>): Outcome {
  if (table.status === "success") return { status: "ok", value: parseJson(String(table.result ?? "null")) };
  const errorType = String(table.error_type ?? "Error");
  const denied = table.status === "denied" || errorType === "Denied";
  return { status: denied ? "denied" : "error", errorType, message: String(table.message ?? "") };
}

/** The tools in Python stubs: name and first line of the docstring. */
export function readStubs(text: string): { name: string; description: string }[] {
  const stub = /^def (\w+)\([\s\S]*?\)(?: -> [^\n]+)?:\n\s+"""\s*([^\n]*)/gm;
  return [...text.matchAll(stub)].map(([, name = "", description = ""]) => ({ name, description: description.trim() }));
}

/** The tools in TypeScript declarations: name and first line of the comment above. */
export function readDeclarations(text: string): { name: string; description: string }[] {
  const declaration = /(?:^\/\*\*\n \* ([^@\n][^\n]*)\n(?: \*[^\n]*\n)*)?^declare function ([\w$]+)\(/gm;
  return [...text.matchAll(declaration)].map(([, description = "", name = ""]) => ({ name, description }));
}
