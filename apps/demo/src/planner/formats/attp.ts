import { parse } from "smol-toml";
import type { ListedTool } from "../conversation.ts";
import type { Outcome, Task } from "../task.ts";
import { parseJson, type Say } from "../text.ts";

/** A program as a document, with the four points of the specification's template as its thought. */
export function writeDocument({ about, tools }: Pick<Task, "about" | "tools">, code: string, say: Say): string {
  const list = say.list(tools) || say`none needed ‖ 不需要`;
  const thought = writeThought(
    say`The user wants: ${about}. ‖ 用户要的是：${about}。`,
    list,
    tools.length === 0 ? "–" : say`${list} in the list of available tools ✓ ‖ ${list} 存在于可用工具列表 ✓`,
    say`Write one program that leaves the value in __result__. ‖ 写一段程序，把结果留在 __result__ 中。`,
    say,
  );
  return `${thought}\n\n[tool_call]\nstatus = "success"\ntarget = ${basicString(about)}\ncode = '''\n${code}\n'''\n`;
}

/** The document that declines. */
export function writeDecline(message: string, say: Say): string {
  const thought = writeThought(
    say`it fits no kind that I know ‖ 没有匹配的请求类型`,
    say`none ‖ 无`,
    "✗",
    say`Say so, and say what is possible. ‖ 说明原因并给出替代方案`,
    say,
  );
  return `${thought}\n\n[tool_call]\nstatus = "fail"\nmessage = ${basicString(message)}\n`;
}

function writeThought(request: string, tools: string, verified: string, plan: string, say: Say): string {
  const thought = say`1. Understand the request: ${request}\n2. Choose tools: ${tools}\n3. Verify tools: ${verified}\n4. Plan: ${plan} ‖ 1. 理解用户请求：${request}\n2. 选择工具：${tools}\n3. 工具验证：${verified}\n4. 执行计划：${plan}`;
  return `thought = """\n${thought.replaceAll("\\", "\\\\").replaceAll('"""', '""\\"')}\n"""`;
}

/** A one-line TOML string. */
function basicString(text: string): string {
  // JSON escapes are TOML escapes, but for the delete character, which JSON leaves as it is.
  return JSON.stringify(text).replaceAll("\u007f", "\\u007F");
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
