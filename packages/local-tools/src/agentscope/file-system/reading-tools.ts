import type { ToolAnnotations } from "@toolglot/core";
import type { DefinedTool } from "@toolglot/toolkit";
import { fileTool, type PathInput, type ServiceInput } from "./file-tool.ts";
import { filesText, linesText, listText, metaText, type TextFormat } from "./tool-texts.ts";

/** Input of `read_text_file`. */
export interface ReadTextFileInput extends PathInput {
  /** From 1; negative counts from the end. */
  start_line: number;
  read_lines?: number | null;
  with_line_numbers: boolean;
  with_header: boolean;
}

/** Input of `read_multiple_files`. */
export interface ReadMultipleFilesInput extends ServiceInput {
  paths: string[];
  with_line_numbers: boolean;
  with_header: boolean;
}

/** Input of `list_directory_with_sizes`. */
export interface ListWithSizesInput extends PathInput {
  sortBy: "name" | "size";
}

/** Input of `search_files`. */
export interface SearchFilesInput extends PathInput {
  pattern: string;
  excludePatterns?: string[] | null;
}

const reads: ToolAnnotations = { readOnlyHint: true, idempotentHint: true, openWorldHint: false };
const path = "string - A logical directory, as /workspace/";
const format = {
  with_line_numbers: "boolean = true - Whether each line begins with its number",
  with_header: "boolean = true - Whether the answer begins with the number of lines and their format",
};

/** `read_text_file`: lines of a text, numbered as in the file. */
export const readTextFile: DefinedTool<ReadTextFileInput> = fileTool(
  {
    name: "read_text_file",
    description:
      "Read text from a logical file, all of it or some lines.\n\nFrom /userinput/ (what the user gave) or /workspace/ (what was made here). For text only.",
    args: {
      path: "string - The file, as /workspace/notes.md",
      start_line:
        "integer = 1 - First line to read, from 1; negative counts from the end: -100 begins 100 lines before it",
      "read_lines?": "integer | null - How many lines; without it all that follow",
      ...format,
    },
    annotations: { title: "Read a text file", ...reads },
  },
  async (files, input) => {
    const selection = { startLine: input.start_line, readLines: input.read_lines ?? undefined };
    return linesText(await files.readTextLines(input.path, selection), formatOf(input));
  },
);

/** `read_multiple_files`: whole texts, each under its path; what can't be read is said in its place. */
export const readMultipleFiles: DefinedTool<ReadMultipleFilesInput> = fileTool(
  {
    name: "read_multiple_files",
    description: "Read several logical text files at once.\n\nA file that can't be read is reported in its place.",
    args: { paths: "string[] - The files", ...format },
    annotations: { title: "Read text files", ...reads },
  },
  async (files, input) => filesText(await files.readMultipleFiles(input.paths), formatOf(input)),
);

/** `list_directory`: what is right in a directory, `[DIR]` and `[FILE]`. */
export const listDirectory: DefinedTool<PathInput> = fileTool(
  {
    name: "list_directory",
    description:
      "List what is right in a logical directory.\n\nOne line each, [DIR] or [FILE]; <empty> if there is nothing.",
    args: { path },
    annotations: { title: "List a directory", ...reads },
  },
  async (files, input) => listText(await files.listDirectory(input.path)),
);

/** `list_directory_with_sizes`: the same with bytes and a summary. */
export const listDirectoryWithSizes: DefinedTool<ListWithSizesInput> = fileTool(
  {
    name: "list_directory_with_sizes",
    description: "List what is right in a logical directory with sizes in bytes, and a summary.",
    args: { path, sortBy: '"name" | "size" = name - The order' },
    annotations: { title: "List a directory with sizes", ...reads },
  },
  async (files, input, signal) => {
    const { lines, summary } = await files.listDirectoryWithSizes(input.path, input.sortBy, { signal });
    return listText([...lines, summary]);
  },
);

/** `search_files`: files whose path fits a pattern or holds a text. */
export const searchFiles: DefinedTool<SearchFilesInput> = fileTool(
  {
    name: "search_files",
    description:
      "Find files below a logical directory by their path.\n\nBy a pattern like *.md (* takes slashes as well) or by a part of the path. One path per line, or <empty>.",
    args: {
      path,
      pattern: "string - A pattern, or a part of the path",
      "excludePatterns?": "string[] | null - Patterns of paths to leave out",
    },
    annotations: { title: "Find files", ...reads },
  },
  async (files, input, signal) =>
    listText(await files.searchFiles(input.path, input.pattern, input.excludePatterns ?? [], { signal })),
);

/** `get_file_info`: path, size and time of the last change. */
export const getFileInfo: DefinedTool<PathInput> = infoTool("get_file_info");

/** The same under the name `stat`. Register one of the two. */
export const stat: DefinedTool<PathInput> = infoTool("stat");

function infoTool(name: string): DefinedTool<PathInput> {
  return fileTool(
    {
      name,
      description: "Give the size and the time of the last change of a logical file or directory.",
      args: { path: "string - The file or directory, as /workspace/notes.md" },
      annotations: { title: "Look at a file", ...reads },
    },
    async (files, input) => metaText(await files.getFileInfo(input.path)),
  );
}

/** `list_allowed_directories`: the prefixes that something may be done below. */
export const listAllowedDirectories: DefinedTool<ServiceInput> = fileTool(
  {
    name: "list_allowed_directories",
    description: "List the logical directories that may be used.",
    annotations: { title: "List the directories that may be used", ...reads },
  },
  (files) => listText(files.listAllowedDirectories()),
);

/** `fs_describe_permissions_markdown`: which directory may be used for what. */
export const describePermissions: DefinedTool<ServiceInput> = fileTool(
  {
    name: "fs_describe_permissions_markdown",
    description: "Tell what may be done in which logical directory.",
    annotations: { title: "Tell the permissions", ...reads },
  },
  (files) => files.describePermissionsMarkdown() || "<empty>",
);

function formatOf(input: { with_line_numbers?: boolean; with_header?: boolean }): TextFormat {
  return { numbers: input.with_line_numbers ?? true, header: input.with_header ?? true };
}
