/** A logical file system over real directories, and the tools for a model to use it: AgentScope's, made tight. */
export { DiskFileSystem, type DiskFileSystemOptions } from "./disk-file-system.ts";
export type { PathInput, ServiceInput } from "./file-tool.ts";
export { builtinGrant, builtinGrants } from "./grants.ts";
export { internalPrefix, userinputPrefix, validatePath, workspacePrefix } from "./namespaces.ts";
export {
  describePermissions,
  getFileInfo,
  type ListWithSizesInput,
  listAllowedDirectories,
  listDirectory,
  listDirectoryWithSizes,
  type ReadMultipleFilesInput,
  type ReadTextFileInput,
  readMultipleFiles,
  readTextFile,
  type SearchFilesInput,
  searchFiles,
  stat,
} from "./reading-tools.ts";
export { type FileSystemToolsOptions, fileSystemTools, registerFileSystemTools } from "./register.ts";
export { FileDomainService, type SortBy } from "./service.ts";
export type {
  EntryMeta,
  FsHandle,
  Grant,
  GrantOperation,
  LineSelection,
  NamespaceName,
  Operation,
  ReadResult,
  SelectedLines,
  TextReplacement,
} from "./types.ts";
export { deleteFile, type EditFileInput, editFile, type WriteFileInput, writeFile } from "./writing-tools.ts";
