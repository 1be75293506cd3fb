import type { Principal } from "@toolglot/trp-core";
import type { ImportedServer, ImportedTool } from "../types.ts";
import { serverPart, toolNames } from "./names.ts";
import { defaultRepeat } from "./tool-settings.ts";

const unknown = new WeakSet<ImportedTool>();

/**
 * Returns a tool that stands for whatever a server may have under a name, where it shows a caller nothing before they have logged in. Any
 * such name looks alike, so that it reveals nothing.
 */
export function behindLogin(
  principal: Principal,
  servers: readonly ImportedServer[],
  name: string,
): ImportedTool | undefined {
  for (const { name: server, views } of servers) {
    const prefix = `${serverPart(server)}__`;
    const tool = name.slice(prefix.length);
    if (views?.of(principal).state().needsLogin !== true || !name.startsWith(prefix) || tool === "") continue;
    const { capId } = toolNames(server, [tool]).get(tool) as { capId: string };
    const listed = { name, inputSchema: { type: "object" } };
    const judged = { io: "WRITE", risk: "HIGH", effect: "opaque" } as const;
    const made = {
      server,
      tool,
      shownName: name,
      capId,
      listed,
      repeat: defaultRepeat,
      settings: {},
      ...judged,
    };
    unknown.add(made);
    return made;
  }
  return undefined;
}

/** Whether nobody knows yet what the tool is: its caller has not logged in. */
export function isBehindLogin(tool: ImportedTool): boolean {
  return unknown.has(tool);
}
