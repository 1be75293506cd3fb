import { visibleText } from "@toolglot/internal";
import type { Markup } from "./markup.ts";

/** Returns the tool behind a capability, by the names that its owner knows. */
export type NameTool = (capId: string) => { server: string; tool: string; title?: string } | undefined;

/** What can be read from the id of a capability when nobody knows the tool any more. */
export const toolFromId: NameTool = (capId) => {
  const [, server, tool] = /^cap\.mcp\.([^.]+)\.(.+)\.v\d+$/.exec(capId) ?? [];
  return server === undefined || tool === undefined ? undefined : { server, tool };
};

export function ToolName({ tool, capId }: { tool: ReturnType<NameTool>; capId: string }): Markup {
  if (tool === undefined) return <bdi>{visibleText(capId)}</bdi>;
  return (
    <>
      <bdi>{visibleText(tool.server)}</bdi> › <bdi>{visibleText(tool.title ?? tool.tool)}</bdi>
    </>
  );
}
