import { type AttpToolCall, serialize } from "@toolglot/attp";
import { parse } from "smol-toml";
import { type Outcome, outcomeOf } from "../task.ts";
import { parseJson, type Say } from "../text.ts";

/** A document whose thought has the four points of the specification's template: request, tools, whether there are such, plan. */
function documentOf(say: Say, [wish, tools, verified, plan]: string[], toolCall: AttpToolCall): string {
  const thought = say`1. Understand the request: ${wish}\n2. Choose tools: ${tools}\n3. Verify tools: ${verified}\n4. Plan: ${plan} ‖ 1. 理解用户请求：${wish}\n2. 选择工具：${tools}\n3. 工具验证：${verified}\n4. 执行计划：${plan}`;
  return serialize({ status: "complete", span: { start: 0, end: 0 }, extra: {}, thought, toolCall });
}

/** A program as a document. */
export function writeDocument(question: string, tools: readonly string[], code: string, say: Say): string {
  const target = question.replaceAll(/\s+/g, " ").slice(0, 200);
  const list = say.list(tools);
  const verified = list ? say`${list} in the list of available tools ✓ ‖ ${list} 存在于可用工具列表 ✓` : "–";
  const points = [target, list || say`none needed ‖ 不需要`, verified, say`Write one program. ‖ 写一段程序`];
  return documentOf(say, points, { status: "success", target, code: `${code}\n` });
}

/** The document that declines. */
export function writeDecline(message: string, say: Say): string {
  const wish = say`it fits no kind that I know ‖ 没有匹配的请求类型`;
  const plan = say`say so, and say what is possible ‖ 说明原因并给出替代方案`;
  return documentOf(say, [wish, say`none ‖ 无`, "✗", plan], { status: "fail", message });
}

const literal = /"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'/.source;
const search = new RegExp(`(?<waits>await )?search_documents\\((?:${literal}|[^()"'])*\\)`, "g");

/** A program for a router's capabilities: there a search gives `{ query, items, total }`. */
export const routedProgram = (code: string): string =>
  code.replace(search, (call, waits) => (waits ? `(${call})["items"]` : `${call}["items"]`));

/** Reads a `[tool_result]` document out of a message. */
export function readAttpResults(text: string): Outcome[] {
  const start = text.search(/^\[tool_result\]/m);
  if (start < 0) return [];
  // A note of the host may stand around the document.
  const body = text.slice(start).replace(/^```\s*$[\s\S]*/m, "");
  try {
    const { tool_result: table } = parse(body) as { tool_result: Record<string, string> };
    // A note stands for what has no result yet: a program that waits for an approval.
    if (table.note !== undefined)
      return [{ status: "denied", waitsFor: /: ([^:."]+)\W*$/.exec(String(table.result))?.[1] ?? "" }];
    const { status, result = "null", error_type: errorType, message } = table;
    return [outcomeOf(String(status), { value: parseJson(String(result)), errorType, message })];
  } catch {
    return [outcomeOf("error", { errorType: "Unreadable", message: "the result could not be read" })];
  }
}
