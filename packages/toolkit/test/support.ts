import { contentText } from "@toolglot/core";
import {
  type AnyToolFunction,
  type CallOptions,
  type RegisterFunctionOptions,
  type ToolCallRequest,
  Toolkit,
  type ToolResponse,
} from "../src/index.ts";

/** A toolkit with one tool, `t`, that takes anything. */
export function kitWith(execute: AnyToolFunction, options: RegisterFunctionOptions = {}): Toolkit {
  const kit = new Toolkit();
  kit.registerToolFunction(execute, { name: "t", description: "Test.", jsonSchema: { type: "object" }, ...options });
  return kit;
}

/** All responses of a call. */
export async function collect(
  kit: Toolkit,
  call: Partial<ToolCallRequest> = {},
  options: CallOptions = {},
): Promise<ToolResponse[]> {
  const responses: ToolResponse[] = [];
  for await (const response of kit.callToolFunction({ name: "t", input: {}, ...call }, options))
    responses.push(response);
  return responses;
}

/** The final response; throws unless there is exactly one, and it comes last. */
export async function final(
  kit: Toolkit,
  call: Partial<ToolCallRequest> = {},
  options: CallOptions = {},
): Promise<ToolResponse> {
  return lastOf(await collect(kit, call, options));
}

export function lastOf(responses: readonly ToolResponse[]): ToolResponse {
  const finals = responses.filter(({ isLast }) => isLast);
  const last = responses.at(-1);
  if (finals.length !== 1 || last === undefined || finals[0] !== last) {
    throw new Error(`expected one final response at the end: ${JSON.stringify(responses)}`);
  }
  return last;
}

export function texts(responses: readonly ToolResponse[]): string[] {
  return responses.map(({ content }) => contentText(content));
}

export function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
