import {
  type CallToolRequest,
  type InputRequiredResult,
  isInputRequiredResult,
  ProtocolError,
  ProtocolErrorCode,
} from "@modelcontextprotocol/server";
import type { JsonObject } from "@toolglot/core";
import { defined, isObject } from "@toolglot/internal";
import type { McpCallResult } from "@toolglot/toolkit";
import type { Face, Target } from "../faces/face.ts";
import type { ToolCalls } from "../types.ts";
import type { AskedCalls } from "./asked-calls.ts";
import { exactly } from "./exact-server.ts";
import { callerOf, type Incoming, metaOf } from "./incoming.ts";
import { runTarget } from "./run-target.ts";

/** Answers `tools/call`. */
export class ToolRequests {
  readonly #face: Face;
  readonly #calls: ToolCalls;
  readonly #asked: AskedCalls;

  constructor(face: Face, calls: ToolCalls, asked: AskedCalls) {
    this.#face = face;
    this.#calls = calls;
    this.#asked = asked;
  }

  async answer(
    { name, arguments: given = {} }: CallToolRequest["params"],
    incoming: Incoming,
  ): Promise<ReturnType<typeof exactly> | InputRequiredResult> {
    const args = given as JsonObject;
    const caller = callerOf(incoming);
    const target = this.#face.target(caller, name, args);
    if (target === undefined) throw new ProtocolError(ProtocolErrorCode.InvalidParams, `Tool ${name} not found`);
    if (target.kind === "text") return exactly(textResult(target));
    const facts = metaOf(incoming.context);
    const tool = target.kind === "call" ? target.tool : undefined;
    const answer = await this.#asked.answer(
      {
        name: `tools/call ${name}`,
        input: args,
        tool,
        task: { name, arguments: args, ...defined(facts) },
        run: (input) => runTarget(this.#calls, target, { caller, ...defined(input) }, facts),
      },
      incoming,
    );
    if (isInputRequiredResult(answer)) return answer;
    if ("taskId" in answer) return exactly(answer);
    return exactly(incoming.era === "legacy" ? asOfEarlier(answer.result) : answer.result);
  }
}

function textResult({ text, isError }: Extract<Target, { kind: "text" }>): McpCallResult {
  return { content: [{ type: "text", text }], ...(isError && { isError }) };
}

/** Returns a result as clients of earlier revisions take it: structured content is an object there, else it stands as text. */
function asOfEarlier(result: McpCallResult): McpCallResult {
  const { structuredContent, content = [], ...rest } = result;
  if (structuredContent === undefined || isObject(structuredContent)) return result;
  const hasText = content.some(({ type }) => type === "text");
  return {
    ...rest,
    content: hasText ? content : [...content, { type: "text", text: JSON.stringify(structuredContent) }],
  };
}
