import type { ToolAnnotations } from "@toolglot/core";
import type { DefinedTool } from "@toolglot/toolkit";
import { inMessage } from "../../messages.ts";
import { fileTool, type PathInput } from "./file-tool.ts";
import type { TextReplacement } from "./types.ts";

/** Input of `write_file`. */
export interface WriteFileInput extends PathInput {
  content: string;
}

/** Input of `edit_file`. */
export interface EditFileInput extends PathInput {
  edits: TextReplacement[];
}

const writes: ToolAnnotations = {
  readOnlyHint: false,
  destructiveHint: true,
  idempotentHint: true,
  openWorldHint: false,
};

/** `write_file`: a text file as a whole. */
export const writeFile: DefinedTool<WriteFileInput> = fileTool(
  {
    name: "write_file",
    description:
      "Write a logical text file as a whole, in UTF-8; a file that is there is overwritten.\n\nBelow /workspace/; /userinput/ can't be written. Folders are made as needed.",
    args: { path: "string - The file, as /workspace/notes.md", content: "string - All of its text" },
    annotations: { title: "Write a file", ...writes },
  },
  async (files, { path, content }) => {
    const { size } = await files.writeFile(path, content);
    return `wrote ${size} bytes to ${inMessage(path)}`;
  },
);

/** `edit_file`: replacements, each of a text that occurs exactly once. */
export const editFile: DefinedTool<EditFileInput> = fileTool(
  {
    name: "edit_file",
    description:
      "Replace text in a logical file.\n\nEach oldText must occur exactly once: copy it exactly, with enough around it. Edits are made in order, all or none.",
    properties: {
      path: { type: "string", description: "The file, as /workspace/notes.md" },
      edits: {
        type: "array",
        description: "The replacements, in order",
        minItems: 1,
        items: {
          type: "object",
          properties: {
            oldText: { type: "string", description: "What stands there now, exactly" },
            newText: { type: "string", description: "What is to stand there" },
          },
          required: ["oldText", "newText"],
          additionalProperties: false,
        },
      },
    },
    annotations: { title: "Edit a file", ...writes, idempotentHint: false },
  },
  async (files, { path, edits }) => {
    const { size, notes } = await files.editFile(path, edits);
    return [`edited ${inMessage(path)} (size=${size})`, ...notes.map((note) => `[${note}]`)].join("\n");
  },
);

/** `delete_file`: a file, never a directory. */
export const deleteFile: DefinedTool<PathInput> = fileTool(
  {
    name: "delete_file",
    description: "Delete a logical file.\n\nBelow /workspace/ only. Use it only when the user asks for the removal.",
    args: { path: "string - The file, as /workspace/notes.md" },
    annotations: { title: "Delete a file", ...writes },
  },
  async (files, { path }) => {
    await files.deleteFile(path);
    return `deleted ${inMessage(path)}`;
  },
);
