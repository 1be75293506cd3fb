import type { TextReplacement } from "./types.ts";

/** What every file tool gets: its service, which is a preset. */
export interface ServiceInput {
  /** A `FileDomainService`. */
  service: unknown;
}

/** Input of tools about one path. */
export interface PathInput extends ServiceInput {
  path: string;
}

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

/** Input of `write_file`. */
export interface WriteFileInput extends PathInput {
  content: string;
}

/** Input of `edit_file`. */
export interface EditFileInput extends PathInput {
  edits: TextReplacement[];
}
