import type { JsonSchemaObject } from "@toolglot/core";
import { canonicalJson, errorText } from "@toolglot/internal";
import type { AnyCapability, Principal, Router } from "@toolglot/trp-core";
import { principalKey } from "../principal-key.ts";
import type { ImportedTool } from "../types.ts";
import { type ServerParts, toolCapability } from "./capability.ts";
import { anyArguments, argumentSchema, withoutKey } from "./input-schema.ts";
import type { Notices } from "./notices.ts";
import { setOwnSchema } from "./own-schemas.ts";
import { type Judgement, stricter } from "./risk.ts";

/** A tool, and the input schema that its server gave. */
export interface WantedTool {
  tool: ImportedTool;
  schema: JsonSchemaObject;
}

/** A tool as some of the lists have it. */
interface Variant extends WantedTool {
  /** How many lists have it so. */
  lists: number;
  /** As it is shown: it counts as the most harmful of those of its name. */
  shown: ImportedTool;
}

/** All tools of one name, by the text of all that each is, and how it is in the router. */
interface Named {
  variants: Map<string, Variant>;
  /** What is in the router; undefined when that was not possible. */
  registered: { text: string; capId: string } | undefined;
}

/** What is to be in the router of a tool. */
interface Wanted extends WantedTool {
  named: Named;
  text: string;
}

/** A server's tools, as one or more lists have them, and its reads of resources and prompts, in a router. */
export class RegisteredTools {
  readonly #registry: Router["registry"];
  readonly #parts: ServerParts;
  readonly #notices: Notices;
  readonly #isByCaller: boolean;
  /** By the server's names. */
  readonly #named = new Map<string, Named>();
  /** Of each list, by the server's names, the text of the variant. */
  readonly #lists = new Map<string, ReadonlyMap<string, string>>();
  /** Tools of lists that were asked for since something changed. */
  #shown = new Map<string, readonly ImportedTool[]>();
  readonly #reads = new Set<string>();

  /** `isByCaller`: each caller has a list of their own. */
  constructor(registry: Router["registry"], parts: ServerParts, notices: Notices, isByCaller: boolean) {
    this.#isByCaller = isByCaller;
    this.#registry = registry;
    this.#parts = parts;
    this.#notices = notices;
  }

  /** The tools of a list, the same until one of them changes. */
  toolsOf(list: string): readonly ImportedTool[] {
    const known = this.#shown.get(list);
    if (known !== undefined) return known;
    const shown = [...(this.#lists.get(list) ?? [])].flatMap(([name, text]) => {
      const { variants, registered } = this.#named.get(name) as Named;
      return registered === undefined ? [] : (variants.get(text) as Variant).shown;
    });
    this.#shown.set(list, shown);
    return shown;
  }

  /**
   * Takes out of the router what is gone or changed, and puts in what is new; calls that run go on. Returns the names of the tools that are
   * gone from the list, and whether anything of it is other than before.
   */
  replace(list: string, wanted: readonly WantedTool[]): { gone: string[]; hasChanged: boolean } {
    const before = this.#lists.get(list) ?? new Map<string, string>();
    const now = new Map<string, string>();
    for (const { tool, schema } of wanted) {
      const text = canonicalJson(tool);
      now.set(tool.tool, text);
      if (before.get(tool.tool) === text) continue;
      const named: Named = this.#named.get(tool.tool) ?? { variants: new Map(), registered: undefined };
      this.#named.set(tool.tool, named);
      const variant = named.variants.get(text) ?? { tool, schema, lists: 0, shown: tool };
      variant.lists++;
      named.variants.set(text, variant);
    }
    const left = [...before].filter(([name, text]) => now.get(name) !== text);
    for (const [name, text] of left) {
      const { variants } = this.#named.get(name) as Named;
      const variant = variants.get(text) as Variant;
      if (--variant.lists === 0) variants.delete(text);
    }
    if (now.size > 0) this.#lists.set(list, now);
    else this.#lists.delete(list);
    const other = [...now].filter(([name, text]) => before.get(name) !== text);
    const changed = new Set([...left, ...other].map(([name]) => name));
    this.#sync(changed);
    if (changed.size > 0) this.#shown = new Map();
    return { gone: left.flatMap(([name]) => (now.has(name) ? [] : name)), hasChanged: changed.size > 0 };
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
    for (const list of [...this.#lists.keys()]) this.replace(list, []);
    this.replaceReads([]);
  }

  /** Brings the router in line with the variants of tools: first out with what is changed, since its names may be another's now. */
  #sync(names: Iterable<string>): void {
    const changed: Wanted[] = [];
    for (const name of names) {
      const named = this.#named.get(name) as Named;
      const wanted = mergedOf(named);
      if (wanted !== undefined && wanted.text === named.registered?.text) continue;
      if (named.registered !== undefined) this.#registry.unregister(named.registered.capId);
      named.registered = undefined;
      if (wanted === undefined) this.#named.delete(name);
      else changed.push(wanted);
    }
    for (const wanted of changed) {
      if (!this.#register(wanted)) continue;
      const { named, text, tool } = wanted;
      named.registered = { text, capId: tool.capId };
      const { io, risk, effect } = tool;
      for (const variant of named.variants.values()) {
        const { tool } = variant;
        variant.shown =
          tool.io === io && tool.risk === risk && tool.effect === effect ? tool : { ...tool, io, risk, effect };
        if (this.#isByCaller) setOwnSchema(variant.shown, variant.schema);
      }
    }
  }

  /** Whether it is in the router. A schema that can't be used costs the check of the arguments, not the tool. */
  #register({ named, tool, schema }: Wanted): boolean {
    const own = argumentSchema(withoutKey(schema, tool.settings));
    // One caller's list changes nothing of what another one's call was checked with.
    const input = this.#isByCaller ? anyArguments() : own.input;
    let { problem } = own;
    const sent = (principal: Principal): JsonSchemaObject => {
      const text = this.#lists.get(principalKey({ principal }))?.get(tool.tool);
      return (text === undefined ? undefined : named.variants.get(text)?.schema) ?? schema;
    };
    try {
      this.#registry.register(toolCapability(this.#parts, tool, { input, sent }));
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

/** Returns what a tool is in the router: the first of its variants, as harmful as the most harmful. Undefined without one. */
function mergedOf(named: Named): Wanted | undefined {
  const [first, ...others] = named.variants.values();
  if (first === undefined) return undefined;
  const { tool, schema } = first;
  const judged = others.reduce((strictest, { tool }) => stricter(strictest, tool), tool as Judgement);
  const { io, risk, effect } = judged;
  const merged = { ...tool, io, risk, effect };
  return { named, tool: merged, schema, text: canonicalJson(merged) };
}
