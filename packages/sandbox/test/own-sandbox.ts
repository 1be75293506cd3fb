import { createSandbox, type Sandbox, type SandboxOptions } from "../src/node/index.ts";

type Options = Omit<SandboxOptions, "language">;

/** Creates a sandbox of a test's own, for what it counts, ends or breaks. Others share one: `sharedSandbox`. */
export const pythonSandbox = (options: Options = {}): Sandbox => createSandbox({ ...options, language: "python" });

/** See {@link pythonSandbox}. */
export const javascriptSandbox = (options: Options = {}): Sandbox =>
  createSandbox({ ...options, language: "javascript" });
