import type { ToolAnnotations } from "@toolglot/core";
import { type DefinedTool, defineTool } from "@toolglot/toolkit";
import { presetService } from "./service-preset.ts";
import type {
  ListWithSizesInput,
  PathInput,
  ReadMultipleFilesInput,
  ReadTextFileInput,
  SearchFilesInput,
  ServiceInput,
} from "./tool-inputs.ts";
import { filesText, linesText, listText, metaText } from "./tool-texts.ts";

const reads: ToolAnnotations = { readOnlyHint: true, idempotentHint: true, openWorldHint: false };
const service = "any - The FileDomainService to work on: a preset";
const folder = "string - A logical directory, as /workspace/";
const numbered = "boolean = true - Whether each line begins with its number";
const headed = "boolean = true - Whether the answer begins with the number of lines and their format";

/** `read_text_file`: lines of a text, numbered as in the file. */
export const readTextFile: DefinedTool<ReadTextFileInput> = defineTool({
  name: "read_text_file",
  description:
    "Read text from a logical file, all of it or some lines.\n\nFrom /userinput/ (what the user gave) or /workspace/ (what was made here). For text only.",
  args: {
    service,
    path: "string - The file, as /workspace/notes.md",
    start_line:
      "integer = 1 - First line to read, from 1; negative counts from the end: -100 begins 100 lines before it",
    "read_lines?": "integer | null - How many lines; without it all that follow",
    with_line_numbers: numbered,
    with_header: headed,
  },
  annotations: { title: "Read a text file", ...reads },
  execute: async (input) => {
    const files = presetService(input.service, "read_text_file");
    const selection = { startLine: input.start_line, readLines: input.read_lines ?? undefined };
    const lines = await files.readTextLines(input.path, selection);
    return text(linesText(lines, { numbers: input.with_line_numbers ?? true, header: input.with_header ?? true }));
  },
});

/** `read_multiple_files`: whole texts, each under its path; what can't be read is said in its place. */
export const readMultipleFiles: DefinedTool<ReadMultipleFilesInput> = defineTool({
  name: "read_multiple_files",
  description: "Read several logical text files at once.\n\nA file that can't be read is reported in its place.",
  args: {
    service,
    paths: "string[] - The files",
    with_line_numbers: numbered,
    with_header: headed,
  },
  annotations: { title: "Read text files", ...reads },
  execute: async (input) => {
    const files = presetService(input.service, "read_multiple_files");
    const results = await files.readMultipleFiles(input.paths);
    return text(filesText(results, { numbers: input.with_line_numbers ?? true, header: input.with_header ?? true }));
  },
});

/** `list_directory`: what is right in a directory, `[DIR]` and `[FILE]`. */
export const listDirectory: DefinedTool<PathInput> = defineTool({
  name: "list_directory",
  description:
    "List what is right in a logical directory.\n\nOne line each, [DIR] or [FILE]; <empty> if there is nothing.",
  args: { service, path: folder },
  annotations: { title: "List a directory", ...reads },
  execute: async (input) =>
    text(listText(await presetService(input.service, "list_directory").listDirectory(input.path))),
});

/** `list_directory_with_sizes`: the same with bytes and a summary. */
export const listDirectoryWithSizes: DefinedTool<ListWithSizesInput> = defineTool({
  name: "list_directory_with_sizes",
  description: "List what is right in a logical directory with sizes in bytes, and a summary.",
  args: { service, path: folder, sortBy: '"name" | "size" = name - The order' },
  annotations: { title: "List a directory with sizes", ...reads },
  execute: async (input, { signal }) => {
    const files = presetService(input.service, "list_directory_with_sizes");
    const { lines, summary } = await files.listDirectoryWithSizes(input.path, input.sortBy, { signal });
    return text(listText([...lines, summary]));
  },
});

/** `search_files`: files whose path fits a pattern or holds a text. */
export const searchFiles: DefinedTool<SearchFilesInput> = defineTool({
  name: "search_files",
  description:
    "Find files below a logical directory by their path.\n\nBy a pattern like *.md (* takes slashes as well) or by a part of the path. One path per line, or <empty>.",
  args: {
    service,
    path: folder,
    pattern: "string - A pattern, or a part of the path",
    "excludePatterns?": "string[] | null - Patterns of paths to leave out",
  },
  annotations: { title: "Find files", ...reads },
  execute: async (input, { signal }) => {
    const files = presetService(input.service, "search_files");
    return text(listText(await files.searchFiles(input.path, input.pattern, input.excludePatterns ?? [], { signal })));
  },
});

/** `get_file_info`: path, size and time of the last change. */
export const getFileInfo: DefinedTool<PathInput> = infoTool("get_file_info");

/** The same under the name `stat`. Register one of the two. */
export const stat: DefinedTool<PathInput> = infoTool("stat");

function infoTool(name: string): DefinedTool<PathInput> {
  return defineTool({
    name,
    description: "Give the size and the time of the last change of a logical file or directory.",
    args: { service, path: "string - The file or directory, as /workspace/notes.md" },
    annotations: { title: "Look at a file", ...reads },
    execute: async (input) => text(metaText(await presetService(input.service, name).getFileInfo(input.path))),
  });
}

/** `list_allowed_directories`: the prefixes that something may be done below. */
export const listAllowedDirectories: DefinedTool<ServiceInput> = defineTool({
  name: "list_allowed_directories",
  description: "List the logical directories that may be used.",
  args: { service },
  annotations: { title: "List the directories that may be used", ...reads },
  execute: (input) => text(listText(presetService(input.service, "list_allowed_directories").listAllowedDirectories())),
});

/** `fs_describe_permissions_markdown`: which directory may be used for what. */
export const describePermissions: DefinedTool<ServiceInput> = defineTool({
  name: "fs_describe_permissions_markdown",
  description: "Tell what may be done in which logical directory.",
  args: { service },
  annotations: { title: "Tell the permissions", ...reads },
  execute: (input) =>
    text(presetService(input.service, "fs_describe_permissions_markdown").describePermissionsMarkdown() || "<empty>"),
});

/** A text block: as data, a text would reach some models in quotes. */
function text(content: string): { type: "text"; text: string } {
  return { type: "text", text: content };
}
