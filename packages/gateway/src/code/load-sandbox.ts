import { ToolglotError } from "@toolglot/core";
import type { Sandbox, SandboxLanguage } from "@toolglot/sandbox";
import type { CodeSettings } from "../config/settings.ts";

const engines: Readonly<Record<SandboxLanguage, string>> = {
  javascript: "quickjs-emscripten@0.32.0",
  python: "pyodide@314.0.7",
};

/**
 * Makes a sandbox for each language; an interpreter starts with the first program. Rejects with `ToolglotError` `gateway/code-missing`
 * when the sandbox's package or an engine is not installed. A program may work for `timeoutMs`, and so may its calls; time in which a person
 * decides does not count.
 */
export async function loadSandboxes({
  languages,
  timeoutMs,
  calls,
}: CodeSettings): Promise<ReadonlyMap<SandboxLanguage, Sandbox>> {
  const missing = (install: string, cause: unknown): ToolglotError => {
    const message = `The face "code" needs what runs its programs: npm install ${install} (or name in "code.languages" only what is installed).`;
    return new ToolglotError("gateway/code-missing", message, { cause });
  };
  const { createSandbox } = await import("@toolglot/sandbox").catch((error) => {
    throw missing(["@toolglot/sandbox", ...languages.map((language) => engines[language])].join(" "), error);
  });
  const limits = { timeoutMs, toolTimeMs: timeoutMs, maxToolCalls: calls };
  const make = (language: SandboxLanguage): Sandbox => {
    try {
      return createSandbox({ language, style: "notebook", limits, pool: { maxWaiting: 100 } });
    } catch (error) {
      if (ToolglotError.isInstance(error) && error.code === "sandbox/engine-missing") {
        throw missing(engines[language], error);
      }
      throw error;
    }
  };
  return new Map(languages.map((language) => [language, make(language)]));
}
