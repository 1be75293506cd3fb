import { neutralize } from "@toolglot/core";
import { cutText } from "@toolglot/core/results";
import type { McpClient } from "./types.ts";

/** UTF-16 units that one server may say of itself. */
const maxLength = 2000;

/** Returns the servers' instructions, each under a heading with the host's name for it. Nothing in it can open a block. */
export function instructionsOf(clients: Iterable<McpClient>): string | undefined {
  const parts = [...clients].flatMap(({ name, instructions }) => {
    const text = instructions?.trim();
    return text
      ? [`## About the MCP server ${JSON.stringify(name)}, in its own words\n${neutralize(shortened(text))}`]
      : [];
  });
  return parts.length === 0 ? undefined : parts.join("\n\n");
}

/** Returns a text cut at the end of a line, where there is one. */
function shortened(text: string): string {
  if (text.length <= maxLength) return text;
  const cut = cutText(text, maxLength - 1);
  const line = cut.lastIndexOf("\n");
  return `${(line > 0 ? cut.slice(0, line) : cut).trimEnd()}…`;
}
