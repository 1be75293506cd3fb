import type { AnyTool, ToolCall, ToolDefinition, ToolSource } from "@toolglot/core";
import { checkKeys } from "@toolglot/internal";
import type { InputSource } from "@toolglot/schema";
import { ToolCaller } from "./call/caller.ts";
import type { ToolMiddleware } from "./call/middleware.ts";
import type { Prepared } from "./call/prepare.ts";
import type { RegisteredToolFunction } from "./call/registered.ts";
import type { ToolResponse } from "./call/response.ts";
import { traceToolkit } from "./call/tracing.ts";
import { ToolkitError } from "./errors.ts";
import { McpClients } from "./mcp/mcp-clients.ts";
import type { McpClient, RegisterMcpOptions } from "./mcp/types.ts";
import { ToolRegistry } from "./registry/registry.ts";
import { type AgentSkill, checkedSkill, skillsPrompt } from "./registry/skills.ts";
import { type LoadStateOptions, readState, registrationOf, type ToolkitState } from "./registry/state.ts";
import { callKeys, preparedCallKeys } from "./registry/tool-facts.ts";
import type {
  AnyToolFunction,
  CallOptions,
  FunctionSchema,
  PreparedCallOptions,
  RegisterFunctionOptions,
  RegisterOptions,
  Registrable,
  ToolCallRequest,
  ToolGroup,
  ToolGroupOptions,
  ToolkitOptions,
} from "./types.ts";

/** A registry of tools, and the runtime that calls them: every call ends with exactly one final response. */
export class Toolkit implements ToolSource {
  readonly #registry: ToolRegistry;
  readonly #caller: ToolCaller;
  readonly #mcp: McpClients;
  readonly #skills = new Map<string, AgentSkill>();

  constructor(options: ToolkitOptions = {}) {
    checkKeys<ToolkitOptions>("new Toolkit", options, { metaTool: true, tracing: true, validator: true });
    const { tracing, validator } = options;
    const registry = new ToolRegistry({ metaTool: options.metaTool ?? true, validator });
    this.#registry = registry;
    this.#caller = new ToolCaller(registry, tracing ? traceToolkit(tracing === true ? {} : tracing) : undefined);
    this.#mcp = new McpClients({
      register: (tool, asked) => registry.register(tool, asked),
      current: (name) => registry.unextended(name),
      remove: (name) => void registry.remove(name),
      snapshot: () => registry.snapshot(),
      demandGroup: (name) => registry.groups.demand(name),
    });
  }

  /** The registered tools by name, in order of registration. */
  get registered(): ReadonlyMap<string, RegisteredToolFunction> {
    return this.#registry.tools;
  }

  /** The groups by name; `basic` is always there, and always active. */
  get groups(): ReadonlyMap<string, ToolGroup> {
    return this.#registry.groups.all;
  }

  /**
   * Registers a tool, or a function with its schema in the options. Returns warnings: what was done otherwise than
   * asked. Throws `TypeError` for a mistake in the arguments, and `ToolkitError` with the codes `toolkit/name-clash`
   * (strategy `raise`) and `toolkit/unknown-group`.
   */
  registerToolFunction(tool: AnyTool, options?: RegisterOptions): string[];
  registerToolFunction(fn: AnyToolFunction, options?: RegisterFunctionOptions): string[];
  registerToolFunction(given: Registrable, options: RegisterFunctionOptions = {}): string[] {
    return this.#registry.register(given, options).warnings;
  }

  /**
   * Removes a tool; true when there was one. With `mustExist`, throws `ToolkitError` with the code
   * `toolkit/unknown-tool` when there was none.
   */
  removeToolFunction(name: string, options: { mustExist?: boolean } = {}): boolean {
    checkKeys("removeToolFunction", options, { mustExist: true });
    const removed = this.#registry.remove(name);
    if (!removed && options.mustExist) {
      throw new ToolkitError("toolkit/unknown-tool", `There is no tool ${JSON.stringify(name)} to remove`, { name });
    }
    return removed;
  }

  /**
   * Creates a group, inactive unless told otherwise. The first one brings the meta tool `reset_equipped_tools` with it,
   * unless the toolkit was made with `metaTool: false`. Throws `TypeError` without a description, and `ToolkitError`
   * with the code `toolkit/group-exists`. Returns warnings.
   */
  createToolGroup(name: string, options: ToolGroupOptions): string[] {
    return this.#registry.createGroup(name, options);
  }

  /**
   * Activates groups, or puts them away. Returns warnings: names of groups that don't exist. Throws `ToolkitError` with
   * the code `toolkit/basic-group`, before anything changes.
   */
  updateToolGroups(names: readonly string[], active: boolean): string[] {
    return this.#registry.groups.update(names, active);
  }

  /**
   * Adds middleware around every call; the first one registered is the outermost. Validation comes before it, approval too
   * where an executor asks for it; a changed call is validated again. Returns what takes it away. Throws `TypeError`.
   */
  registerMiddleware(middleware: ToolMiddleware): () => void {
    return this.#caller.addMiddleware(middleware);
  }

  /**
   * Lets the finish function ask for structured output: the model's properties join its schema, are validated with its
   * calls, and stand in the final response's `metadata.structured_output`, the finish text in `metadata.response_msg`.
   * `null` takes the model away. Throws `ToolkitError` with the codes `toolkit/unknown-tool` and
   * `toolkit/extended-model-clash`, before anything changes.
   */
  setExtendedModel(finishFunctionName: string, model: InputSource | null): void {
    this.#registry.extend(finishFunctionName, model);
  }

  /**
   * Registers all tools of an MCP server, or none; connects if need be. They follow the server's list from then on. Returns
   * warnings: names in the options that the server doesn't have, and what {@link Toolkit.registerToolFunction} warns of.
   * Throws as that does, and `ToolkitError` with the codes `toolkit/mcp-missing` and `toolkit/mcp-connection`.
   */
  registerMcpClient(client: McpClient, options: RegisterMcpOptions = {}): Promise<string[]> {
    return this.#mcp.register(client, options);
  }

  /** Removes the tools of MCP clients, and closes them. Returns warnings: names that are none. */
  removeMcpClients(names: readonly string[]): Promise<string[]> {
    return this.#mcp.remove(names);
  }

  /** Removes and closes all MCP clients. Nothing else of a toolkit needs closing. */
  close(): Promise<void> {
    return this.#mcp.close();
  }

  /** What can be saved: the active groups, and with `registrations` names and options of the tools. JSON. */
  saveState(options: { registrations?: boolean } = {}): ToolkitState {
    checkKeys("saveState", options, { registrations: true });
    const activeGroups = this.#registry.groups.own.filter(({ active }) => active).map(({ name }) => name);
    if (!options.registrations) return { activeGroups };
    return { activeGroups, registrations: [...this.#registry.tools.values()].map(registrationOf) };
  }

  /**
   * Activates the groups of a saved state, and puts all others away. Returns warnings. Throws `TypeError` for what is no
   * state, and `ToolkitError` with the code `toolkit/unknown-group` unless `strict` is false; then nothing has changed.
   */
  loadState(state: ToolkitState, options: LoadStateOptions = {}): string[] {
    checkKeys<LoadStateOptions>("loadState", options, { strict: true });
    const known = this.#registry.groups.own.map(({ name }) => name);
    const { active, warnings } = readState(state, known, options);
    this.#registry.groups.activateOnly(active);
    return warnings;
  }

  /** Registers a skill; `readAgentSkill` of `@toolglot/toolkit/node` reads one from its folder. Throws `TypeError`. */
  registerAgentSkill(skill: AgentSkill): void {
    const checked = checkedSkill(skill);
    if (this.#skills.has(checked.name)) {
      const message = `There is a skill ${JSON.stringify(checked.name)} already`;
      throw new ToolkitError("toolkit/name-clash", message, { name: checked.name });
    }
    this.#skills.set(checked.name, checked);
  }

  /** Removes a skill; true when there was one. */
  removeAgentSkill(name: string): boolean {
    return this.#skills.delete(name);
  }

  /** What to tell the model of the skills there are; undefined when there are none. */
  getAgentSkillPrompt(): string | undefined {
    return skillsPrompt(this.#skills.values());
  }

  /**
   * Makes the toolkit as it was when it was new: without tools, groups but `basic`, middleware and skills. MCP clients stay
   * open until they are removed.
   */
  clear(): void {
    this.#mcp.detach();
    this.#registry.clear();
    this.#caller.clearMiddleware();
    this.#skills.clear();
  }

  /** Removes groups with all their tools. Returns warnings, and throws, as {@link Toolkit.updateToolGroups}. */
  removeToolGroups(names: readonly string[]): string[] {
    return this.#registry.removeGroups(names);
  }

  /** The notes of the active groups, for a prompt; empty when there are none. */
  getToolGroupNotes(): string {
    return this.#registry.groups.notes();
  }

  /**
   * Registers the meta tool `reset_equipped_tools`, with which a model chooses its groups. Throws `ToolkitError` with
   * the code `toolkit/name-clash` when there is another tool of that name.
   */
  enableMetaTool(): void {
    this.#registry.enableMetaTool();
  }

  /** The tools in OpenAI's function shape: of the active groups, or of the named ones. Copies. */
  getJsonSchemas(groupNames?: readonly string[] | null): FunctionSchema[] {
    return this.#registry.listed(groupNames).map((tool) => tool.jsonSchema);
  }

  /**
   * The tools as core's definitions, for prompts: of the active groups, or of the named ones. Of the active groups, the same
   * frozen list as long as nothing has changed: a toolkit is a core `ToolSource`, which an agent asks before each request.
   */
  definitions(groupNames?: readonly string[] | null): ToolDefinition[] {
    if (groupNames) return this.#registry.listed(groupNames).map((tool) => tool.definition);
    return this.#registry.definitions() as ToolDefinition[];
  }

  /**
   * Calls back when {@link Toolkit.definitions} gives another list than before: a tool came or went, a group was opened or put
   * away, an MCP server changed its tools. Once for all changes that come together. Returns what ends it.
   */
  onChange(listener: () => void): () => void {
    if (typeof listener !== "function") throw new TypeError("onChange needs a function");
    return this.#registry.onChange(listener);
  }

  /**
   * The tools as core tools, for programs and for other runtimes: `execute` validates, coerces, post-processes, and
   * gives the data, else the text, else the content blocks. A failure is a `ToolError` whose message is for the model.
   */
  tools(groupNames?: readonly string[] | null): AnyTool[] {
    return this.#registry.listed(groupNames).map((tool) => this.#caller.asTool(tool));
  }

  /**
   * Calls a tool. Chunks come as the tool gives them; the last response, and only that one, has `isLast`. Faults of
   * model and tool are responses (`status: "error"`); with `onError: "throw"`, what the tool threw is thrown after it.
   * Throws `TypeError` at once when the call has no name.
   */
  callToolFunction(call: ToolCallRequest, options: CallOptions = {}): AsyncGenerator<ToolResponse, void, undefined> {
    checkKeys("callToolFunction", options, callKeys);
    return this.#caller.call(call, options);
  }

  /** Runs a call that was prepared before, through the middleware. For executors. */
  runPrepared(
    prepared: Prepared,
    call: ToolCall,
    options: PreparedCallOptions = {},
  ): AsyncGenerator<ToolResponse, void, undefined> {
    checkKeys("runPrepared", options, preparedCallKeys);
    return this.#caller.runPrepared(prepared, call, options);
  }

  /**
   * Finds the tool and validates the input, without running anything: for executors, which ask in between. `given`: values
   * of this call that are no JSON (bytes, resources); they are passed on as they are.
   */
  prepareCall(call: ToolCall, given?: Readonly<Record<string, unknown>>): Prepared | Promise<Prepared> {
    return this.#caller.prepare(call, given);
  }
}
