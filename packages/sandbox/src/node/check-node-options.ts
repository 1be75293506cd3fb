import { checkOptions, commonKeys } from "../check-options.ts";
import type { SandboxOptions } from "../types.ts";

const isolations: readonly unknown[] = ["auto", "process", "namespace", "required"];

/** Throws `TypeError` for options that make no sense. */
export function checkNodeOptions(options: SandboxOptions): void {
  checkOptions(options, ["python", "javascript"], [commonKeys, "libraries isolation cacheDir wheels"]);
  const { language, isolation, cacheDir, libraries, wheels } = options;
  if (isolation !== undefined && !isolations.includes(isolation)) {
    throw new TypeError(`isolation must be one of ${isolations.join(", ")}, not ${JSON.stringify(isolation)}.`);
  }
  if (language === "javascript" && isolation !== undefined && isolation !== "auto") {
    throw new TypeError("isolation is for Python: JavaScript runs in a thread of the host's process.");
  }
  if (language === "javascript" && libraries !== undefined) {
    throw new TypeError("libraries is for Python: JavaScript programs have the language's own built-ins.");
  }
  if (language === "javascript" && wheels !== undefined) throw new TypeError("wheels is for Python.");
  if (cacheDir !== undefined && cacheDir !== false && (typeof cacheDir !== "string" || cacheDir === "")) {
    throw new TypeError("cacheDir must be a folder's path, or false.");
  }
}
