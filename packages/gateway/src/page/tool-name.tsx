import { visibleText } from "@toolglot/internal";
import type { NameTool } from "../report/tool-names.ts";
import type { Markup } from "./markup.ts";

export function ToolName({ tool, capId }: { tool: ReturnType<NameTool>; capId: string }): Markup {
  if (tool === undefined) return <bdi>{visibleText(capId)}</bdi>;
  return (
    <>
      <bdi>{visibleText(tool.server)}</bdi> › <bdi>{visibleText(tool.title ?? tool.tool)}</bdi>
    </>
  );
}
