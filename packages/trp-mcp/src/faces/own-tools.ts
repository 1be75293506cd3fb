import type { JsonObject, JsonValue } from "@toolglot/core";

const text = (description: string): JsonObject => ({ type: "string", description });
const schema = (properties: JsonObject, required: string[] = []): JsonObject & { type: "object" } => ({
  type: "object",
  properties,
  required,
  additionalProperties: false,
});
const reads: JsonObject = { readOnlyHint: true, openWorldHint: false };

/** A tool as a list has it. */
export interface OwnTool extends Record<string, JsonValue> {
  name: string;
  description: string;
  inputSchema: JsonObject & { type: "object" };
}

export const again: OwnTool = {
  name: "toolglot_again",
  description:
    "Runs an earlier call once more, with the same arguments, as a new call. Only where its effect is wanted a second time: a person may be asked first.",
  inputSchema: schema({ receipt: text("Names the earlier call: it stands in its result.") }, ["receipt"]),
};

export const status: OwnTool = {
  name: "toolglot_status",
  description:
    "Tells what became of an earlier call, or of a request for approval. Runs nothing. Takes one of the two.",
  inputSchema: schema({
    receipt: text("Of a call: it stands in its result."),
    approval: text("The id of a request for approval."),
  }),
  annotations: reads,
};

export const describe: OwnTool = {
  name: "toolglot_describe",
  description: "Gives the full description and the input schema of tools, by the names that toolglot_search gave.",
  inputSchema: schema(
    { names: { type: "array", items: { type: "string" }, minItems: 1, maxItems: 20, description: "Names of tools." } },
    ["names"],
  ),
  annotations: reads,
};

export const call: OwnTool = {
  name: "toolglot_call",
  description:
    "Calls a tool that toolglot_search found. Its arguments must fit the schema that toolglot_describe gives.",
  inputSchema: schema(
    {
      name: text("The tool's name, with the server's in front."),
      arguments: { type: "object", description: "Of the tool.", additionalProperties: true },
    },
    ["name"],
  ),
};

export const searchName = "toolglot_search";

/** `servers`: one line for each. */
export function search(servers: readonly string[]): OwnTool {
  return {
    name: searchName,
    description: [
      "Finds tools by what they do; gives the best matches with their arguments, best first. Servers and the number of their tools:",
      ...servers,
    ].join("\n"),
    inputSchema: schema(
      {
        query: text("A few words on what is to be done."),
        server: text("Only tools of this server."),
        limit: { type: "integer", minimum: 1, maximum: 20, default: 8 },
      },
      ["query"],
    ),
    annotations: reads,
  };
}
