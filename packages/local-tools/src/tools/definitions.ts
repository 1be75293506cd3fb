import type { JsonSchemaObject, ToolDefinition } from "@toolglot/core";

/** The tags of the ToolsXML specification that are run here. */
export type LocalToolName = "command" | "edit" | "read" | "input" | "ctrl" | "get_value";

const string = (description: string): JsonSchemaObject => ({ type: "string", description });
const encoding = string("Its encoding, such as gbk; only where the one that is found out is wrong, or a guess.");
const line = (description: string): JsonSchemaObject => ({ type: "integer", minimum: 1, description });

/** An object of these properties; a `?` behind a name: it may be left out. */
function object(members: Record<string, JsonSchemaObject>): JsonSchemaObject {
  const names = Object.keys(members);
  return {
    type: "object",
    properties: Object.fromEntries(Object.entries(members).map(([name, schema]) => [name.replace("?", ""), schema])),
    required: names.filter((name) => !name.endsWith("?")),
    additionalProperties: false,
  };
}

function list(items: JsonSchemaObject, description: string): JsonSchemaObject {
  return { type: "array", items, description };
}

const replacement = object({
  find: string("The text to be found, exact."),
  replace: string("What stands there afterwards."),
  "all?": { type: "boolean", description: "Replace every occurrence." },
});
const fileEdits = object({
  src: string("Path of the file."),
  "encoding?": encoding,
  edits: list(replacement, "Made in order; each sees what those before it left."),
});
const fileRead = object({
  src: string("Path of a file or a directory."),
  "from?": line("First line, from 1."),
  "to?": line("Last line, included."),
  "encoding?": encoding,
});
const textSearch = object({
  pattern: string("A regular expression."),
  "src?": string("A file or directory to search; default: everything."),
  "glob?": string("Which files, as *.ts or src/**."),
});

/** What a model is shown of each tool; the input is the call as `@toolglot/toolsxml` reads it. */
export const definitions: Record<LocalToolName, ToolDefinition> = {
  command: {
    name: "command",
    description:
      "Runs a shell script in the session's terminal. Working directory, variables and functions last. A command that goes on, or waits for input, is reported as running: answer it with input, stop it with ctrl c.",
    inputSchema: object({
      script: string("The shell script; several lines are fine."),
      "timeoutMs?": { type: "integer", minimum: 1, description: "Milliseconds to wait for its end." },
      "cwd?": string(
        "The directory it runs in, from the first root wherever the shell is; the shell comes back afterwards.",
      ),
    }),
    annotations: { title: "Run a command", openWorldHint: true },
  },
  edit: {
    name: "edit",
    description:
      "Replaces text in files, all or nothing. Each find must occur exactly once in its file (or have all: true), copied exactly as it stands, with enough lines around it. An empty find creates a file (in XML: <find><![CDATA[]]></find>).",
    inputSchema: object({ files: list(fileEdits, "The files to change.") }),
    annotations: { title: "Edit files" },
  },
  read: {
    name: "read",
    description: "Reads files (or ranges of lines), lists directories, and searches for text in files.",
    inputSchema: object({
      "files?": list(fileRead, "Files and directories to read."),
      "searches?": list(textSearch, "Searches to make."),
    }),
    annotations: { title: "Read files", readOnlyHint: true, idempotentHint: true },
  },
  input: {
    name: "input",
    description:
      "Writes to the standard input of the command that runs. Nothing is appended: \\n is Enter, \\e Escape, \\\\ a backslash.",
    inputSchema: object({ data: string("What to write.") }),
    annotations: { title: "Answer a command", openWorldHint: true },
  },
  ctrl: {
    name: "ctrl",
    description: "Sends a control character to the command that runs: c interrupts it, d ends its input.",
    inputSchema: object({ key: string("A letter or one of [ \\ ] ^ _") }),
    annotations: { title: "Send a control character" },
  },
  get_value: {
    name: "get_value",
    description:
      "Asks the user for a secret value, such as a token. You never see it: write $KARYI{KEY} in any call from the next turn on.",
    inputSchema: object({
      key: string("Its name, such as NPM_TOKEN."),
      reason: string("Why it is needed, for the user."),
      "note?": string("What the user may keep as a note with it."),
    }),
    annotations: { title: "Ask for a value" },
  },
};
