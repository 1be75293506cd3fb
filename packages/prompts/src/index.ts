/** Which prompts there are. Each lives in its own subpath, so that a program loads only the texts it sends. */

import type { Locale, ProtocolMode } from "@toolglot/core";

/** What there is to import for one protocol. */
export interface PromptInfo {
  /** The module that holds it, as `@toolglot/prompts/attp`. */
  subpath: string;
  /** Name of the export, a core `PromptBuilder`. */
  exportName: string;
  /** The protocol version it teaches, as `attp/1`. */
  forProtocol: string;
  locales: readonly Locale[];
  modes: readonly ProtocolMode[];
}

/** Every prompt of this package. */
export const promptList: readonly PromptInfo[] = (
  [
    ["attp", "attpPrompt", "attp/1"],
    ["attp", "attpJavascriptPrompt", "attp-js/1"],
    ["attp", "attpRouterPrompt", "attp/1"],
    ["attp", "attpJavascriptRouterPrompt", "attp-js/1"],
    ["dialects", "dialectsPrompt", "dialects/1"],
    ["tam", "tamPrompt", "tam/1"],
    ["toolsxml", "toolsxmlPrompt", "toolsxml/1"],
  ] as const
).map(([subpath, exportName, forProtocol]) => ({
  subpath: `@toolglot/prompts/${subpath}`,
  exportName,
  forProtocol,
  locales: ["zh", "en"],
  modes: ["single", "loop"],
}));
