import { type JsonObject, ToolError } from "@toolglot/core";
import { isObject } from "@toolglot/internal";
import type { McpCallResult, McpClient } from "@toolglot/toolkit";
import type { AnyCapability, ExecuteContext } from "@toolglot/trp-core";
import { principalKey } from "../principal-key.ts";
import type { ImportedOffer, ImportedPrompt, ImportedTool } from "../types.ts";
import { maxMs, type ServerParts, settle } from "./capability.ts";
import { firstText, isTooLarge } from "./kept-result.ts";
import { capIdOf, offerName, promptGet, resourceRead, shownNames } from "./names.ts";
import { defaultRepeat } from "./tool-settings.ts";

/** Where a list of pages ends that never ends. */
const maxPages = 64;

/** A read that a server has besides its tools. */
interface Read {
  part: string;
  capability: "resources" | "prompts";
  method: string;
  description: string;
  inputSchema: JsonObject;
}

const reads: readonly Read[] = [
  {
    part: resourceRead,
    capability: "resources",
    method: "resources/read",
    description: "Reads a resource",
    inputSchema: { type: "object", properties: { uri: { type: "string", minLength: 1 } }, required: ["uri"] },
  },
  {
    part: promptGet,
    capability: "prompts",
    method: "prompts/get",
    description: "Reads a prompt",
    inputSchema: {
      type: "object",
      properties: {
        name: { type: "string", minLength: 1 },
        arguments: { type: "object", additionalProperties: { type: "string" } },
      },
      required: ["name"],
    },
  },
];

/** Resources and prompts of a server, and the capabilities by which they are read. */
export class Offer implements ImportedOffer {
  readonly #server: string;
  readonly #client: McpClient;
  readonly #tools: ReadonlyMap<string, ImportedTool>;

  constructor(server: string, client: McpClient) {
    this.#server = server;
    this.#client = client;
    this.#tools = new Map(reads.map((read) => [read.part, readAsTool(server, read)]));
  }

  get resourceRead(): ImportedTool | undefined {
    return this.#has("resources") ? this.#tools.get(resourceRead) : undefined;
  }

  get promptGet(): ImportedTool | undefined {
    return this.#has("prompts") ? this.#tools.get(promptGet) : undefined;
  }

  /** Those of the reads that the server has now. */
  capabilities(parts: ServerParts): AnyCapability[] {
    return reads.filter(({ capability }) => this.#has(capability)).map((read) => this.#capability(parts, read));
  }

  listResources(): Promise<(JsonObject & { uri: string })[]> {
    return this.#list("resources", "resources/list", "resources", "uri");
  }

  listResourceTemplates(): Promise<(JsonObject & { uriTemplate: string })[]> {
    return this.#list("resources", "resources/templates/list", "resourceTemplates", "uriTemplate");
  }

  async listPrompts(): Promise<ImportedPrompt[]> {
    const listed = await this.#list("prompts", "prompts/list", "prompts", "name");
    const first = new Map(listed.toReversed().map((prompt) => [prompt.name, prompt]));
    const shown = shownNames(this.#server, [...first.keys()]);
    return listed
      .filter((prompt) => first.get(prompt.name) === prompt)
      .map((prompt) => {
        const shownName = shown.get(prompt.name) as string;
        return { server: this.#server, prompt: prompt.name, shownName, listed: { ...prompt, name: shownName } };
      });
  }

  #has(capability: string): boolean {
    return this.#client.capabilities.includes(capability);
  }

  #capability(parts: ServerParts, { part, method, inputSchema }: Read): AnyCapability {
    const { capId, listed } = this.#tools.get(part) as ImportedTool;
    return {
      capId,
      name: offerName(this.#server, part),
      description: String(listed.description),
      riskTier: "LOW",
      ioClass: "READ",
      effect: "pure",
      input: inputSchema,
      maxConcurrency: parts.maxConcurrency,
      concurrencyGroup: this.#server,
      maxTimeoutMs: Math.max(parts.timeoutMs, maxMs),
      execute: async (args: JsonObject, context: ExecuteContext) => {
        const kept = await settle(parts, context, async ({ ask, meta }) => {
          const params = { ...args, ...(meta && { _meta: meta }) };
          const options = { signal: context.signal, ...(ask && { ask }), person: principalKey(context) };
          return (await parts.clientOf(context.principal).request(method, params, options)) as McpCallResult;
        });
        // What stands in for a tool's result is none of a read.
        if (isTooLarge(kept.data)) throw new ToolError(firstText(kept.data));
        return kept;
      },
      shape: (value: unknown) => value as { summary: string; data: unknown },
    };
  }

  /** Returns all pages of a list, without items that have no name. */
  async #list<Key extends string>(
    capability: string,
    method: string,
    member: string,
    key: Key,
  ): Promise<(JsonObject & Record<Key, string>)[]> {
    if (!this.#client.connected) await this.#client.connect();
    if (!this.#has(capability)) return [];
    const all: (JsonObject & Record<Key, string>)[] = [];
    let cursor: string | undefined;
    for (let page = 0; page < maxPages; page++) {
      const result = await this.#client.request(method, cursor === undefined ? undefined : { cursor });
      const items = Array.isArray(result[member]) ? (result[member] as unknown[]) : [];
      all.push(
        ...items.filter((item): item is (typeof all)[number] => isObject(item) && typeof item[key] === "string"),
      );
      const { nextCursor } = result;
      if (typeof nextCursor !== "string" || nextCursor === cursor) break;
      cursor = nextCursor;
    }
    return all;
  }
}

function readAsTool(server: string, { part, description, inputSchema }: Read): ImportedTool {
  const shownName = offerName(server, part);
  return {
    server,
    tool: part,
    shownName,
    capId: capIdOf(server, part),
    listed: { name: shownName, description: `${description} of the MCP server ${server}.`, inputSchema },
    io: "READ",
    risk: "LOW",
    effect: "pure",
    repeat: defaultRepeat,
    settings: {},
  };
}
