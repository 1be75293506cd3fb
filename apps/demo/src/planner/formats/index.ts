import type { TextProtocol } from "@toolglot/core/text";
import type { Outcome } from "../outcome.ts";
import { readAttpResults, readDeclarations, readStubs } from "./attp.ts";
import { readManual } from "./manual.ts";
import { readTamResults } from "./tam.ts";
import { readToolsResults } from "./toolsxml.ts";

/** What the planner knows of a protocol: how to find its tools in the prompt, and its results in a message. */
export interface Format {
  protocol: TextProtocol | "attp-js";
  /** Stands in every prompt that teaches it, and in no other. */
  promptMark: RegExp;
  /** Stands in prompts that say that results come back. */
  resultMark: string;
  readTools(prompt: string): { name: string; description: string }[];
  readResults(text: string): Outcome[];
}

/** The formats the planner writes. */
export const formats: readonly Format[] = [
  {
    protocol: "tam",
    promptMark: /^# TAM /m,
    resultMark: "<|[TOOL_RESULT]|>",
    readTools: readManual,
    readResults: readTamResults,
  },
  {
    protocol: "toolsxml",
    promptMark: /^# ToolsXML /m,
    resultMark: "<results>",
    readTools: readManual,
    readResults: readToolsResults,
  },
  {
    protocol: "attp-js",
    promptMark: /^declare function |^3\. .*JavaScript/m,
    resultMark: "[tool_result]",
    readTools: readDeclarations,
    readResults: readAttpResults,
  },
  {
    protocol: "attp",
    promptMark: /(?:)/,
    resultMark: "[tool_result]",
    readTools: readStubs,
    readResults: readAttpResults,
  },
];

/** The format that a prompt teaches. */
export function formatOf(prompt: string): Format {
  return formats.find(({ promptMark }) => promptMark.test(prompt)) as Format;
}
