import type { AnyTool } from "@toolglot/core";
import {
  createSandbox,
  type ProgramStyle,
  type Sandbox,
  type SandboxLanguage,
  type SandboxOptions,
  type SandboxRunOptions,
} from "../src/node/index.ts";
import { keptSandbox } from "./python/reuse/one-at-a-time.ts";

/** By language, limits and guard. They start with their first program, and end with the worker. */
const sandboxes = new Map<string, Sandbox>();

function sandboxOf(options: SandboxOptions): Sandbox {
  const key = JSON.stringify(options);
  const make = options.language === "python" ? keptSandbox : createSandbox;
  const sandbox = sandboxes.get(key) ?? make(options);
  sandboxes.set(key, sandbox);
  return sandbox;
}

/** `tools`, `style`: for each run. A sandbox with other limits, or without the guard, is another one. */
export interface SharedOptions extends Pick<SandboxOptions, "limits" | "guard"> {
  tools?: readonly AnyTool[];
  style?: ProgramStyle;
}

/**
 * Returns the sandbox that all test files of a worker share. For tests of what programs do: no file ends it, or leaves a program in it
 * that never ends.
 */
export function sharedSandbox(
  language: SandboxLanguage,
  { tools = [], style = "attp", limits = {}, guard = true }: SharedOptions = {},
): Sandbox {
  const sandbox = sandboxOf({ language, limits: { timeoutMs: 120_000, ...limits }, guard });
  const withMore = <Given extends { tools?: readonly AnyTool[] }>(given: Given) => {
    const byName = new Map([...tools, ...(given.tools ?? [])].map((tool) => [tool.name, tool]));
    return { style, ...given, tools: [...byName.values()] };
  };
  const run = (code: string, given: SandboxRunOptions = {}) => sandbox.run(code, withMore(given));
  return {
    ...sandbox,
    ...{ tools, style, run: run as Sandbox["run"] },
    resume: (durable, given = {}) => sandbox.resume(durable, withMore(given)),
    openSession: (options = {}) => sandbox.openSession(withMore(options)),
    resumeSession: (id, options = {}) => sandbox.resumeSession(id, withMore(options)),
  };
}
