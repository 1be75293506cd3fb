import { type DefinedTool, defineTool } from "@toolglot/toolkit";
import { inMessage } from "../messages.ts";
import { presetService } from "./service-preset.ts";
import type { EditFileInput, PathInput, WriteFileInput } from "./tool-inputs.ts";

/** `write_file`: a text file as a whole. */
export const writeFile: DefinedTool<WriteFileInput> = defineTool({
  name: "write_file",
  description:
    "Write a logical text file as a whole, in UTF-8; a file that is there is overwritten.\n\nBelow /workspace/; /userinput/ can't be written. Folders are made as needed.",
  args: {
    service: "any - The FileDomainService to work on: a preset",
    path: "string - The file, as /workspace/notes.md",
    content: "string - All of its text",
  },
  annotations: {
    title: "Write a file",
    readOnlyHint: false,
    destructiveHint: true,
    idempotentHint: true,
    openWorldHint: false,
  },
  execute: async (input) => {
    const { size } = await presetService(input.service, "write_file").writeFile(input.path, input.content);
    return text(`wrote ${size} bytes to ${inMessage(input.path)}`);
  },
});

/** `edit_file`: replacements, each of a text that occurs exactly once. */
export const editFile: DefinedTool<EditFileInput> = defineTool({
  name: "edit_file",
  description:
    "Replace text in a logical file.\n\nEach oldText must occur exactly once: copy it exactly, with enough around it. Edits are made in order, all or none.",
  input: {
    type: "object",
    properties: {
      service: { description: "The FileDomainService to work on: a preset" },
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
    required: ["service", "path", "edits"],
    additionalProperties: false,
  },
  annotations: {
    title: "Edit a file",
    readOnlyHint: false,
    destructiveHint: true,
    idempotentHint: false,
    openWorldHint: false,
  },
  execute: async (input) => {
    // As the schema has it.
    const { service, path, edits } = input as unknown as EditFileInput;
    const { size, notes } = await presetService(service, "edit_file").editFile(path, edits);
    return text([`edited ${inMessage(path)} (size=${size})`, ...notes.map((note) => `[${note}]`)].join("\n"));
  },
}) as DefinedTool<never> as DefinedTool<EditFileInput>;

/** `delete_file`: a file, never a directory. */
export const deleteFile: DefinedTool<PathInput> = defineTool({
  name: "delete_file",
  description: "Delete a logical file.\n\nBelow /workspace/ only. Use it only when the user asks for the removal.",
  args: {
    service: "any - The FileDomainService to work on: a preset",
    path: "string - The file, as /workspace/notes.md",
  },
  annotations: {
    title: "Delete a file",
    readOnlyHint: false,
    destructiveHint: true,
    idempotentHint: true,
    openWorldHint: false,
  },
  execute: async (input) => {
    await presetService(input.service, "delete_file").deleteFile(input.path);
    return text(`deleted ${inMessage(input.path)}`);
  },
});

function text(content: string): { type: "text"; text: string } {
  return { type: "text", text: content };
}
