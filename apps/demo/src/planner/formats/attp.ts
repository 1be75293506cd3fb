import { serialize } from "@toolglot/attp";
import { parse } from "smol-toml";
import type { ListedTool } from "../conversation.ts";
import type { Outcome } from "../task.ts";
import { parseJson, type Say } from "../text.ts";

const bare = { status: "complete", span: { start: 0, end: 0 }, extra: {} } as const;

/** A program as a document, with the four points of the specification's template as its thought. */
export function writeDocument(question: string, tools: readonly string[], code: string, say: Say): string {
  const wish = question.replaceAll(/\s+/g, " ").slice(0, 200);
  const list = say.list(tools) || say`none needed ‖ 不需要`;
  const verified =
    tools.length === 0 ? "–" : say`${list} in the list of available tools ✓ ‖ ${list} 存在于可用工具列表 ✓`;
  const thought = say`1. Understand the request: ${wish}\n2. Choose tools: ${list}\n3. Verify tools: ${verified}\n4. Plan: Write one program. ‖ 1. 理解用户请求：${wish}\n2. 选择工具：${list}\n3. 工具验证：${verified}\n4. 执行计划：写一段程序`;
  return serialize({ ...bare, thought, toolCall: { status: "success", target: wish, code: `${code}\n` } });
}

/** The document that declines. */
export function writeDecline(message: string, say: Say): string {
  const thought = say`1. Understand the request: it fits no kind that I know\n2. Choose tools: none\n3. Verify tools: ✗\n4. Plan: say so, and say what is possible ‖ 1. 理解用户请求：没有匹配的请求类型\n2. 选择工具：无\n3. 工具验证：✗\n4. 执行计划：说明原因并给出替代方案`;
  return serialize({ ...bare, thought, toolCall: { status: "fail", message } });
}

/** Reads a `[tool_result]` document out of a message. */
export function readAttpResults(text: string): Outcome[] {
  const start = text.search(/^\[tool_result\]/m);
  if (start < 0) return [];
  // A note of the host may stand around the document.
  const body = text.slice(start).replace(/^```\s*$[\s\S]*/m, "");
  try {
    const { tool_result: table } = parse(body) as { tool_result: Record<string, unknown> };
    if (table.status === "success") return [{ status: "ok", value: parseJson(String(table.result ?? "null")) }];
    const errorType = String(table.error_type ?? "Error");
    const denied = table.status === "denied" || errorType === "Denied";
    return [{ status: denied ? "denied" : "error", errorType, message: String(table.message ?? "") }];
  } catch {
    return [{ status: "error", errorType: "Unreadable", message: "the result could not be read" }];
  }
}

/** The tools in Python stubs: name and first line of the docstring. */
export function readStubs(text: string): ListedTool[] {
  const stub = /^def (\w+)\([\s\S]*?\)(?: -> [^\n]+)?:\n\s+"""\s*([^\n]*)/gm;
  return [...text.matchAll(stub)].map(([, name = "", description = ""]) => ({ name, description: description.trim() }));
}

/** The tools in TypeScript declarations: name and first line of the comment above. */
export function readDeclarations(text: string): ListedTool[] {
  const declaration = /(?:^\/\*\*\n \* ([^@\n][^\n]*)\n(?: \*[^\n]*\n)*)?^declare function ([\w$]+)\(/gm;
  return [...text.matchAll(declaration)].map(([, description = "", name = ""]) => ({ name, description }));
}
