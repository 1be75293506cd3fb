import { expect } from "vitest";
import { createSandbox, type Sandbox, type SandboxSession, type SessionRun } from "../../src/node/index.ts";
import { addTool } from "../support.ts";

/**
 * A sandbox whose sessions share interpreters, so that each test need not start its own. Programs that never end wait for
 * `timeoutMs`, and on a busy machine others need more than they seem to.
 */
export function sharedSandbox(timeoutMs = 3000): Sandbox {
  const reuse = { maxPrograms: 10_000, maxMs: 86_400_000 };
  return createSandbox({
    language: "python",
    tools: [addTool],
    domain: "tests",
    reuse,
    limits: { timeoutMs, maxToolCalls: 20 },
  });
}

/** What a program gave. */
export function outcomeOf(run: SessionRun): unknown {
  expect(run).toMatchObject({ status: "ok", state: "kept" });
  return run.status === "ok" ? run.value : undefined;
}

/** Runs a program that gives a value. */
export async function value(session: SandboxSession, code: string): Promise<unknown> {
  return outcomeOf(await session.run(code));
}

export const key: Uint8Array = new Uint8Array(32).fill(7);
