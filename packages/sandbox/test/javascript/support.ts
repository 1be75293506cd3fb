import type { AnyTool } from "@toolglot/core";
import { ToolError } from "@toolglot/core";
import { readSections, tool } from "../support.ts";
import { corpusTools } from "./corpus/tools.ts";

/** A program of a text file, with what its name says: `what → type`, or the name alone. */
export interface Program {
  name: string;
  code: string;
}

/** The programs of the corpus, in order. */
export function corpusPrograms(): Program[] {
  return readSections(new URL("./corpus/programs.txt", import.meta.url)).map(({ name, code }) => ({
    name,
    code: name.endsWith("(CRLF)") ? code.replaceAll("\n", "\r\n") : code,
  }));
}

/** The tools of the corpus, for a sandbox. */
export const programTools: AnyTool[] = Object.entries(corpusTools(ToolError)).map(([name, { properties, execute }]) =>
  tool(name, properties, execute),
);
