import type { JsonSchemaObject } from "@toolglot/core";
import { canonicalJson, errorText } from "@toolglot/internal";
import type { AnyCapability, Router } from "@toolglot/trp-core";
import type { ImportedTool } from "../types.ts";
import { type ServerParts, toolCapability } from "./capability.ts";
import { anyArguments, argumentSchema, withoutKey } from "./input-schema.ts";
import type { Notices } from "./notices.ts";

/** A tool, and the input schema that its server gave. */
export interface WantedTool {
  tool: ImportedTool;
  schema: JsonSchemaObject;
}

/** A server's tools, and its reads of resources and prompts, in a router. */
export class RegisteredTools {
  readonly #registry: Router["registry"];
  readonly #parts: ServerParts;
  readonly #notices: Notices;
  /** By the server's names, each with the text of all that it is. */
  #tools = new Map<string, { tool: ImportedTool; text: string }>();
  #list: readonly ImportedTool[] = [];
  readonly #reads = new Set<string>();

  constructor(registry: Router["registry"], parts: ServerParts, notices: Notices) {
    this.#registry = registry;
    this.#parts = parts;
    this.#notices = notices;
  }

  /** The same list until one of them changes. */
  get tools(): readonly ImportedTool[] {
    return this.#list;
  }

  /**
   * Takes out of the router what is gone or changed, and puts in what is new; calls that run go on. Returns the names of the tools that are
   * gone, and whether anything is other than before.
   */
  replace(wanted: readonly WantedTool[]): { gone: string[]; hasChanged: boolean } {
    const before = this.#tools;
    const texts = new Map(wanted.map(({ tool }) => [tool.tool, canonicalJson(tool)]));
    const left = [...before].filter(([name, { text }]) => texts.get(name) !== text);
    for (const [, { tool }] of left) this.#registry.unregister(tool.capId);
    let hasChanged = left.length > 0;
    this.#tools = new Map();
    for (const { tool, schema } of wanted) {
      const text = texts.get(tool.tool) as string;
      const isKnown = before.get(tool.tool)?.text === text;
      if (!isKnown && !this.#register(tool, schema)) continue;
      this.#tools.set(tool.tool, { tool, text });
      hasChanged ||= !isKnown;
    }
    if (hasChanged) this.#list = [...this.#tools.values()].map(({ tool }) => tool);
    return { gone: left.flatMap(([name]) => (texts.has(name) ? [] : name)), hasChanged };
  }

  /** Brings the reads that a server has besides its tools in line with these. */
  replaceReads(capabilities: readonly AnyCapability[]): void {
    for (const capId of this.#reads) {
      if (capabilities.some((one) => one.capId === capId)) continue;
      this.#registry.unregister(capId);
      this.#reads.delete(capId);
    }
    for (const capability of capabilities) {
      const { capId, name } = capability;
      if (this.#reads.has(capId)) continue;
      try {
        this.#registry.register(capability);
        this.#reads.add(capId);
      } catch (error) {
        this.#notices.unusable(name, `It can't be offered: ${errorText(error)}.`);
      }
    }
  }

  clear(): void {
    this.replace([]);
    this.replaceReads([]);
  }

  /** Whether it is in the router. A schema that can't be used costs the check of the arguments, not the tool. */
  #register(tool: ImportedTool, sent: JsonSchemaObject): boolean {
    const checked = argumentSchema(withoutKey(sent, tool.settings));
    let { problem } = checked;
    try {
      this.#registry.register(toolCapability(this.#parts, tool, { ...checked, sent }));
    } catch (error) {
      try {
        this.#registry.register(toolCapability(this.#parts, tool, { input: anyArguments(), sent }));
        problem ??= errorText(error);
      } catch (fault) {
        this.#notices.unusable(tool.tool, `The tool is left out: ${errorText(fault)}.`);
        return false;
      }
    }
    if (problem !== undefined) {
      this.#notices.unusable(tool.tool, `The arguments of the tool are not checked here: ${problem}.`);
    }
    return true;
  }
}
