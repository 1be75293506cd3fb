/** A logical file system over real directories, and the tools for a model to use it: AgentScope's, made tight. */
export { DiskFileSystem, type DiskFileSystemOptions } from "./disk-file-system.ts";
export type { FsHandle } from "./fs-handle.ts";
export { builtinGrant, builtinGrants } from "./grants.ts";
export { internalPrefix, userinputPrefix, validatePath, workspacePrefix } from "./namespaces.ts";
export {
  describePermissions,
  getFileInfo,
  listAllowedDirectories,
  listDirectory,
  listDirectoryWithSizes,
  readMultipleFiles,
  readTextFile,
  searchFiles,
  stat,
} from "./reading-tools.ts";
export { type FileSystemToolsOptions, fileSystemTools, registerFileSystemTools } from "./register.ts";
export { FileDomainService, type ReadResult, type SortBy } from "./service.ts";
export type {
  EditFileInput,
  ListWithSizesInput,
  PathInput,
  ReadMultipleFilesInput,
  ReadTextFileInput,
  SearchFilesInput,
  ServiceInput,
  WriteFileInput,
} from "./tool-inputs.ts";
export type {
  EntryMeta,
  Grant,
  GrantOperation,
  LineSelection,
  NamespaceName,
  Operation,
  SelectedLines,
  TextReplacement,
} from "./types.ts";
export { deleteFile, editFile, writeFile } from "./writing-tools.ts";
