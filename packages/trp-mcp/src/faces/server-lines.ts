import type { ImportedTool, ServerView } from "../types.ts";
import { cutText } from "./cut-text.ts";

/** Bytes of all lines together: about 1,000 tokens. */
const maxBytes = 3_600;

/** One line for each server that has tools to show: its name, how many, and what for. */
export function serverLines(servers: readonly ServerView[], visible: readonly ImportedTool[]): string[] {
  const counted = servers
    .map((server) => ({ server, tools: visible.filter((tool) => tool.server === server.name) }))
    .filter(({ tools }) => tools.length > 0);
  const each = Math.max(24, Math.floor(maxBytes / Math.max(1, counted.length)));
  return counted.map(({ server, tools }) =>
    cutText(`- ${server.name} (${tools.length}): ${whatFor(server, tools)}`, each),
  );
}

/** The first sentence that the server says of itself, else what its tools are called. */
function whatFor({ client }: Pick<ServerView, "client">, tools: readonly ImportedTool[]): string {
  const [sentence = ""] = (client.instructions ?? "").trim().split(/(?<=[.!?])\s|\n|(?<=[。！？])/, 1);
  return sentence === "" ? tools.map(({ tool }) => tool).join(", ") : sentence;
}
