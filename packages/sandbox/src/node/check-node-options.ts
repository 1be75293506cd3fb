import { checkNumbers } from "../check-numbers.ts";
import { checkOptions, commonKeys } from "../check-options.ts";
import type { ReuseOptions, SandboxOptions } from "../types.ts";

const isolations: readonly unknown[] = ["auto", "process", "namespace", "required"];

const reuseRanges: Readonly<Record<keyof ReuseOptions, readonly [number, number]>> = {
  maxPrograms: [1, 10_000],
  maxMs: [0, 86_400_000],
};

/** Throws `TypeError` for options that make no sense. */
export function checkNodeOptions(options: SandboxOptions): void {
  checkOptions(options, ["python", "javascript"], [commonKeys, "libraries reuse isolation cacheDir"]);
  const { language, isolation, cacheDir, libraries, reuse } = options;
  checkNumbers("reuse", reuse, reuseRanges);
  if (language === "python" && reuse !== undefined) {
    throw new TypeError("reuse is for JavaScript: an interpreter of Python is used once.");
  }
  if (isolation !== undefined && !isolations.includes(isolation)) {
    throw new TypeError(`isolation must be one of ${isolations.join(", ")}, not ${JSON.stringify(isolation)}.`);
  }
  if (language === "javascript" && isolation !== undefined && isolation !== "auto") {
    throw new TypeError("isolation is for Python: JavaScript runs in a thread of the host's process.");
  }
  if (language === "javascript" && libraries !== undefined) {
    throw new TypeError("libraries is for Python: JavaScript programs have the language's own built-ins.");
  }
  if (cacheDir !== undefined && cacheDir !== false && (typeof cacheDir !== "string" || cacheDir === "")) {
    throw new TypeError("cacheDir must be a folder's path, or false.");
  }
}
