import type { AnyTool } from "@toolglot/core";
import { checkKeys } from "@toolglot/internal";
import type { RegisterOptions, Toolkit } from "@toolglot/toolkit";
import {
  getFileInfo,
  listAllowedDirectories,
  listDirectory,
  listDirectoryWithSizes,
  readMultipleFiles,
  readTextFile,
  searchFiles,
} from "./reading-tools.ts";
import { FileDomainService } from "./service.ts";
import { deleteFile, editFile, writeFile } from "./writing-tools.ts";

/** The ten tools of AgentScope's `DiskFileSystem.get_tools`. Each needs the preset `service`. */
export const fileSystemTools: readonly AnyTool[] = [
  readTextFile,
  readMultipleFiles,
  listDirectory,
  listDirectoryWithSizes,
  searchFiles,
  getFileInfo,
  listAllowedDirectories,
  writeFile,
  deleteFile,
  editFile,
];

/** How the tools are registered. */
export interface FileSystemToolsOptions
  extends Pick<RegisterOptions, "groupName" | "namesakeStrategy" | "postprocess" | "timeoutMs"> {
  /** Which tools. Default: {@link fileSystemTools}. */
  tools?: readonly AnyTool[];
  /** Whether the host is asked before something is written, edited or deleted. Default true; `false`: the grants are the host's word. */
  requiresApproval?: boolean;
}

/**
 * Registers the file tools with a service that the model neither sees nor can replace; all of them, or none. Returns
 * warnings, and throws, as `registerToolFunction` does.
 *
 * @example
 * ```ts
 * const service = new FileDomainService(disk.createHandle(grants));
 * registerFileSystemTools(toolkit, service);
 * ```
 */
export function registerFileSystemTools(
  toolkit: Pick<Toolkit, "registerToolFunction" | "removeToolFunction" | "registered">,
  service: FileDomainService,
  options: FileSystemToolsOptions = {},
): string[] {
  if (!FileDomainService.isInstance(service)) {
    throw new TypeError("registerFileSystemTools needs a FileDomainService: new FileDomainService(handle)");
  }
  checkKeys(
    "registerFileSystemTools",
    options,
    'groupName:text namesakeStrategy:"skip"|"raise"|"override"|"rename" postprocess:function timeoutMs:number tools:object[] requiresApproval:boolean',
  );
  const { tools = fileSystemTools, requiresApproval, ...rest } = options;
  const before = new Set(toolkit.registered.keys());
  try {
    return tools.flatMap((tool) =>
      toolkit.registerToolFunction(withApproval(tool, requiresApproval), { ...rest, presets: { service } }),
    );
  } catch (error) {
    for (const name of [...toolkit.registered.keys()]) if (!before.has(name)) toolkit.removeToolFunction(name);
    throw error;
  }
}

function withApproval(tool: AnyTool, requiresApproval: boolean | undefined): AnyTool {
  if (requiresApproval === undefined || tool.annotations?.destructiveHint !== true) return tool;
  return { ...tool, annotations: { ...tool.annotations, requiresApproval } };
}
