import { checkOptions, commonKeys } from "../check-options.ts";
import type { SandboxOptions } from "../types.ts";

/** Throws `TypeError` for options that make no sense. */
export function checkNodeOptions(options: SandboxOptions): void {
  checkOptions(
    options,
    ["python", "javascript"],
    [
      commonKeys,
      'libraries:"standard"|"specification"|string[] isolation:"auto"|"process"|"namespace"|"required" cacheDir:text|false wheels:string[]|object',
    ],
  );
  const { language, isolation, libraries, wheels } = options;
  if (language === "javascript" && isolation !== undefined && isolation !== "auto") {
    throw new TypeError("isolation is for Python: JavaScript runs in a thread of the host's process.");
  }
  if (language === "javascript" && libraries !== undefined) {
    throw new TypeError("libraries is for Python: JavaScript programs have the language's own built-ins.");
  }
  if (language === "javascript" && wheels !== undefined) throw new TypeError("wheels is for Python.");
}
