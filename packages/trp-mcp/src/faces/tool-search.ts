import { argumentWords, createWordIndex, type WordIndex } from "@toolglot/internal/word-index";
import type { ImportedTool } from "../types.ts";
import { bytesOf, cutText } from "./cut-text.ts";

/** Lists that differ (one for each set of rights, mostly), with an index each. */
const maxIndexes = 16;
/** Bytes of an answer, under 2,000 tokens; of the description of one match; and how many of its arguments are named. */
const maxBytes = 5_000;
const maxDescription = 240;
const maxArguments = 16;

interface Indexed {
  tools: readonly ImportedTool[];
  index: WordIndex<ImportedTool>;
}

/** Finds tools among those that a caller sees: nothing of an answer depends on the others. */
export class ToolSearch {
  /** The one used last stands last. */
  #indexed: Indexed[] = [];

  search(tools: readonly ImportedTool[], query: string, limit: number): ImportedTool[] {
    return this.#indexOf(tools).search(query, limit);
  }

  #indexOf(tools: readonly ImportedTool[]): WordIndex<ImportedTool> {
    const known = this.#indexed.find(
      (one) => one.tools.length === tools.length && one.tools.every((tool, at) => tool === tools[at]),
    );
    const indexed = known ?? { tools, index: createWordIndex(tools, textOf) };
    this.#indexed = [...this.#indexed.filter((one) => one !== known), indexed].slice(-maxIndexes);
    return indexed.index;
  }
}

function textOf({ listed, shownName }: ImportedTool): { name: string; description: string; args: string } {
  const { title = "", description = "", inputSchema } = listed;
  return {
    name: `${shownName} ${title}`,
    description: String(description),
    args: argumentWords(Object(inputSchema.properties) as Record<string, unknown>),
  };
}

/** Tells of matches, one line each, as long as there is room. */
export function matchLines(found: readonly ImportedTool[]): string[] {
  const lines: string[] = [];
  let room = maxBytes;
  for (const tool of found) {
    const line = matchLine(tool);
    room -= bytesOf(line) + 1;
    if (room < 0) break;
    lines.push(line);
  }
  return lines;
}

/** `server__tool(needed, other?): What it does.` */
function matchLine({ listed, shownName }: ImportedTool): string {
  const { inputSchema, description = "", title = "" } = listed;
  const required = Array.isArray(inputSchema.required) ? inputSchema.required : [];
  const names = Object.keys(Object(inputSchema.properties) as object)
    .map((name) => (required.includes(name) ? name : `${name}?`))
    .sort((one, other) => Number(one.endsWith("?")) - Number(other.endsWith("?")));
  const more = names.length > maxArguments ? ", …" : "";
  const shown = names.slice(0, maxArguments).map((name) => cutText(name, 48));
  return `${shownName}(${shown.join(", ")}${more}): ${cutText(String(description || title), maxDescription)}`;
}
