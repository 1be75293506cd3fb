import { nearest, type ToolDefinition } from "@toolglot/core";
import type { OnceCallOptions } from "@toolglot/core/once";
import type { InputSource, ValidatorFactory } from "@toolglot/schema";
import type { Prepared } from "../call/prepared.ts";
import type { RegisteredToolFunction } from "../call/registered.ts";
import { errorTypes, ToolkitError } from "../errors.ts";
import type { NamesakeStrategy, RegisterFunctionOptions, Registrable, ToolGroupOptions } from "../types.ts";
import { extendTool } from "./extended-model.ts";
import { makeMetaTool, metaToolName } from "./meta-tool.ts";
import { readRegistration } from "./register.ts";
import { checkNames, ToolGroups } from "./tool-groups.ts";

/** A toolkit's tools, the groups they are in, and the meta tool that comes with groups. Calls nothing. */
export class ToolRegistry {
  /** By name, in order of registration. */
  readonly tools: Map<string, RegisteredToolFunction> = new Map();
  readonly groups: ToolGroups = new ToolGroups(() => this.#touch());
  readonly #listeners = new Set<() => void>();
  /** The definitions of the active tools at the last request. */
  #definitions: readonly ToolDefinition[] = [];
  #outdated = true;
  /** The definitions that the listeners know; set only while there are listeners. */
  #published: readonly ToolDefinition[] = [];
  #isPublishing = false;
  #metaTool: RegisteredToolFunction | undefined;
  #wantsMetaTool: boolean;
  readonly #wantedMetaTool: boolean;
  readonly #validator: ValidatorFactory | undefined;

  readonly #onceOf: ((tool: ToolDefinition) => OnceCallOptions | undefined) | undefined;

  constructor(options: {
    metaTool: boolean;
    validator: ValidatorFactory | undefined;
    once?: ((tool: ToolDefinition) => OnceCallOptions | undefined) | undefined;
  }) {
    this.#wantsMetaTool = options.metaTool;
    this.#wantedMetaTool = options.metaTool;
    this.#validator = options.validator;
    this.#onceOf = options.once;
  }

  /** Registers a tool, and returns the name it got; undefined when it was skipped. */
  register(given: Registrable, options: RegisterFunctionOptions): { warnings: string[]; name: string | undefined } {
    const warnings: string[] = [];
    let registered = readRegistration(given, options, warnings);
    this.groups.demand(registered.groupName);
    if (this.tools.has(registered.name)) {
      const name = this.#settleClash(registered.name, options.namesakeStrategy ?? "raise", warnings);
      if (name === undefined) return { warnings, name };
      if (name !== registered.name) registered = readRegistration(given, { ...options, name }, []);
    }
    const { name } = registered;
    if (name === metaToolName) this.#metaTool = undefined;
    if (this.#validator) registered = registered.withValidator(this.#validator);
    const once = this.#onceOf?.(registered.definition);
    this.tools.set(name, once ? registered.withOnce(once) : registered);
    this.#touch();
    return { warnings, name };
  }

  /** Returns the name to register under; undefined when the tool is not to be registered. */
  #settleClash(name: string, strategy: NamesakeStrategy, warnings: string[]): string | undefined {
    const shown = JSON.stringify(name);
    switch (strategy) {
      case "override":
        warnings.push(`The tool ${shown} was there before and is replaced.`);
        return name;
      case "skip":
        warnings.push(`The tool ${shown} was there before and stays: the new one is not registered.`);
        return undefined;
      case "rename": {
        let number = 1;
        while (this.tools.has(suffixed(name, number))) number++;
        warnings.push(`The tool ${shown} was there before: the new one is registered as "${suffixed(name, number)}".`);
        return suffixed(name, number);
      }
      default: {
        const cure = 'choose another name, or a namesakeStrategy: "override", "skip" or "rename"';
        throw new ToolkitError("toolkit/name-clash", `There is a tool ${shown} already: ${cure}`, { name });
      }
    }
  }

  /** Removes a tool. Returns whether there was one. A host that removes the meta tool does not get it again with the next group. */
  remove(name: string): boolean {
    if (this.#metaTool !== undefined && name === metaToolName) {
      this.#metaTool = undefined;
      this.#wantsMetaTool = false;
    }
    const removed = this.tools.delete(name);
    this.#touch();
    return removed;
  }

  /** Remembers the tools; the function it returns restores them. */
  snapshot(): () => void {
    const saved = [...this.tools];
    const metaTool = this.#metaTool;
    return () => {
      this.tools.clear();
      for (const [name, tool] of saved) this.tools.set(name, tool);
      this.#metaTool = metaTool;
      this.#touch();
    };
  }

  /** Puts a model's properties into a finish function's schema, in place of earlier ones; `null` removes them. */
  extend(name: string, model: InputSource | null): void {
    const finish = this.unextended(name);
    if (finish === undefined) {
      const message = `There is no tool ${JSON.stringify(name)} to extend: register it first`;
      throw new ToolkitError("toolkit/unknown-tool", message, { name });
    }
    this.tools.set(finish.name, model === null ? finish : extendTool(finish, model, this.#validator));
    this.#touch();
  }

  /** Returns the registration of a tool. */
  unextended(name: string): RegisteredToolFunction | undefined {
    const registered = this.tools.get(name);
    return registered?.unextended ?? registered;
  }

  /** Creates a group; the first one brings the meta tool with it. Returns warnings. */
  createGroup(name: string, options: ToolGroupOptions): string[] {
    this.groups.create(name, options);
    if (this.#metaTool === undefined && this.#wantsMetaTool && this.tools.has(metaToolName)) {
      return [`There is a tool "${metaToolName}" already: the model can't choose groups.`];
    }
    if (this.#metaTool !== undefined || this.#wantsMetaTool) this.#refreshMetaTool();
    return [];
  }

  /** Removes groups with all their tools. Returns warnings. */
  removeGroups(names: readonly string[]): string[] {
    const warnings = this.groups.remove(names);
    for (const [name, tool] of this.tools) if (names.includes(tool.groupName)) this.tools.delete(name);
    if (this.#metaTool !== undefined) this.#refreshMetaTool();
    this.#touch();
    return warnings;
  }

  enableMetaTool(): void {
    if (this.#metaTool === undefined && this.tools.has(metaToolName)) {
      const message = `There is another tool "${metaToolName}"`;
      throw new ToolkitError("toolkit/name-clash", message, { name: metaToolName });
    }
    this.#refreshMetaTool();
  }

  #refreshMetaTool(): void {
    this.#metaTool = makeMetaTool(this.groups);
    this.tools.set(metaToolName, this.#metaTool);
    this.#touch();
  }

  /** Returns the definitions of the active tools: the same list as long as nothing has changed. */
  definitions(): readonly ToolDefinition[] {
    if (!this.#outdated) return this.#definitions;
    this.#outdated = false;
    const now = this.listed().map(({ definition }) => definition);
    if (!isSame(this.#definitions, now)) this.#definitions = Object.freeze(now);
    return this.#definitions;
  }

  /** Calls the listener after changes of the definitions, once for all changes of one moment. */
  onChange(listener: () => void): () => void {
    if (this.#listeners.size === 0) this.#published = this.definitions();
    const entry = (): void => listener();
    this.#listeners.add(entry);
    return () => void this.#listeners.delete(entry);
  }

  #touch(): void {
    this.#outdated = true;
    if (this.#isPublishing || this.#listeners.size === 0) return;
    this.#isPublishing = true;
    queueMicrotask(() => {
      this.#isPublishing = false;
      const known = this.#published;
      this.#published = this.definitions();
      if (known === this.#published) return;
      for (const listener of [...this.#listeners]) listener();
    });
  }

  /** Restores the state of a new registry. */
  clear(): void {
    this.tools.clear();
    this.groups.remove(this.groups.own.map(({ name }) => name));
    this.#metaTool = undefined;
    this.#wantsMetaTool = this.#wantedMetaTool;
    this.#touch();
  }

  /** Returns the tools of the active groups, or of the named ones. */
  listed(groupNames?: readonly string[] | null): RegisteredToolFunction[] {
    if (groupNames) checkNames("groups", groupNames);
    for (const name of groupNames ?? []) this.groups.demand(name);
    const isListed = (group: string): boolean =>
      groupNames ? groupNames.includes(group) : this.groups.isActive(group);
    return [...this.tools.values()].filter((tool) => isListed(tool.groupName));
  }

  /** Returns the tool that a call names, or the error for the model. */
  find(name: string): RegisteredToolFunction | Prepared {
    const tool = this.tools.get(name);
    if (tool !== undefined && this.groups.isActive(tool.groupName)) return tool;
    if (tool !== undefined) {
      const cure = this.#metaTool === undefined ? "" : ` Activate the group with ${metaToolName} first.`;
      const message = `The tool "${name}" is in the group "${tool.groupName}", which is not active.${cure}`;
      return { ok: false, error: { type: errorTypes.inactiveTool, message } };
    }
    const names = this.listed().map((listed) => listed.name);
    const near = nearest(name, names);
    const known = names.length === 0 ? "There are no tools." : `The tools are: ${listNames(names)}.`;
    const cure = near.length > 0 ? `Did you mean ${near.map((one) => `"${one}"`).join(" or ")}?` : known;
    const error = { type: errorTypes.unknownTool, message: `There is no tool ${JSON.stringify(name)}. ${cure}` };
    return { ok: false, error };
  }
}

function isSame(one: readonly ToolDefinition[], other: readonly ToolDefinition[]): boolean {
  return one.length === other.length && one.every((tool, index) => tool === other[index]);
}

function suffixed(name: string, number: number): string {
  const suffix = `_${number}`;
  return name.slice(0, 64 - suffix.length) + suffix;
}

function listNames(names: readonly string[]): string {
  return names.length > 20 ? `${names.slice(0, 20).join(", ")} and ${names.length - 20} more` : names.join(", ");
}
