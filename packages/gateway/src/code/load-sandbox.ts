import { ToolglotError } from "@toolglot/core";
import type { Sandbox, SandboxLanguage } from "@toolglot/sandbox";

/** What the owner of a gateway says of programs. */
export interface CodeSettings {
  /** Those that programs may be written in; the first is the default. */
  languages: readonly SandboxLanguage[];
  /** How long a program may work, and how long its calls, in milliseconds. Time in which a person decides does not count. */
  timeoutMs: number;
  /** Calls that one program may make. */
  calls: number;
}

const engines: Readonly<Record<SandboxLanguage, string>> = {
  javascript: "quickjs-emscripten@0.32.0",
  python: "pyodide@314.0.7",
};

/**
 * Makes a sandbox for each language; an interpreter starts with the first program. Rejects with `ToolglotError` `gateway/code-missing`
 * when the sandbox's package or an engine is not installed.
 */
export async function loadSandboxes({
  languages,
  timeoutMs,
  calls,
}: CodeSettings): Promise<ReadonlyMap<SandboxLanguage, Sandbox>> {
  const packages = ["@toolglot/sandbox", ...languages.map((language) => engines[language])].join(" ");
  const missing = (cause: unknown): ToolglotError => {
    const message = `The face code runs programs in @toolglot/sandbox, and that is not installed here: npm install ${packages}`;
    return new ToolglotError("gateway/code-missing", message, { cause });
  };
  const { createSandbox } = await import("@toolglot/sandbox").catch((error) => {
    throw missing(error);
  });
  const limits = { timeoutMs, toolTimeMs: timeoutMs, maxToolCalls: calls };
  const make = (language: SandboxLanguage): Sandbox => {
    try {
      return createSandbox({ language, style: "notebook", limits, pool: { maxWaiting: 100 } });
    } catch (error) {
      if (ToolglotError.isInstance(error) && error.code === "sandbox/engine-missing") throw missing(error);
      throw error;
    }
  };
  return new Map(languages.map((language) => [language, make(language)]));
}
