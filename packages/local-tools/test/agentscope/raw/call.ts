import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type AnyTool, contentText } from "@toolglot/core";
import { Toolkit, type ToolResponse } from "@toolglot/toolkit";
import { onTestFinished, vi } from "vitest";

/** A folder that is gone when the test is over. */
export function temporaryFolder(): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "toglot-raw-")));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** The final response of a tool, called through a toolkit of its own. */
export async function call(tool: AnyTool, input: unknown, signal?: AbortSignal): Promise<ToolResponse> {
  const kit = new Toolkit();
  kit.registerToolFunction(tool);
  let last: ToolResponse | undefined;
  for await (const response of kit.callToolFunction({ name: tool.name, input }, signal ? { signal } : {}))
    last = response;
  return last as ToolResponse;
}

export async function textOf(tool: AnyTool, input: unknown): Promise<string> {
  return contentText((await call(tool, input)).content);
}

/** Sets what the environment says of raw tools, for this test alone. */
export function setPolicy(own: string | undefined, agentScope?: string): void {
  vi.stubEnv("TOOLGLOT_DANGEROUS_TEXT_IO", own);
  vi.stubEnv("AGENTSCOPE_DANGEROUS_TEXT_IO", agentScope);
  onTestFinished(() => {
    vi.unstubAllEnvs();
  });
}
