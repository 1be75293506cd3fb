import type { AnyTool } from "@toolglot/core";
import {
  createSandbox,
  type ProgramStyle,
  type Sandbox,
  type SandboxLanguage,
  type SandboxRunOptions,
} from "../src/node/index.ts";
import { keptSandbox } from "./python/reuse/one-at-a-time.ts";

const limits = { timeoutMs: 120_000 };
/** They start with their first program, and end with the worker. */
const sandboxes: Record<SandboxLanguage, Sandbox> = {
  python: keptSandbox({ language: "python", limits }),
  javascript: createSandbox({ language: "javascript", limits }),
};

/**
 * Returns the sandbox that all test files of a worker share, with tools and a style for each of its runs. For tests of what programs
 * do: no file ends it, or leaves a program in it that never ends.
 */
export function sharedSandbox(
  language: SandboxLanguage,
  { tools = [], style = "attp" }: { tools?: readonly AnyTool[]; style?: ProgramStyle } = {},
): Sandbox {
  const sandbox = sandboxes[language];
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
