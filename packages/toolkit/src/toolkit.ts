import {
  type AnyTool,
  contentText,
  nearest,
  type ToolCall,
  type ToolContext,
  type ToolDefinition,
  ToolError,
} from "@toolglot/core";
import type { InputSource, ValidatorFactory } from "@toolglot/schema";
import { isNoOutput } from "./convert.ts";
import { errorTypes, ToolkitError } from "./errors.ts";
import { extendTool } from "./extended-model.ts";
import { McpClients } from "./mcp/mcp-clients.ts";
import type { McpClient, RegisterMcpOptions } from "./mcp/types.ts";
import { makeMetaTool, metaToolName } from "./meta-tool.ts";
import { type CallRecord, type ToolMiddleware, throughMiddleware } from "./middleware.ts";
import { type Prepared, prepareInput } from "./prepare.ts";
import { readRegistration } from "./register.ts";
import type { RegisteredToolFunction } from "./registered.ts";
import type { ToolResponse } from "./response.ts";
import { type CallTarget, runCall } from "./run.ts";
import { type AgentSkill, checkedSkill, skillsPrompt } from "./skills.ts";
import { type LoadStateOptions, readState, registrationOf, type ToolkitState } from "./state.ts";
import { ToolGroups } from "./tool-groups.ts";
import { isTraced, traceToolkit } from "./tracing.ts";
import type {
  AnyToolFunction,
  CallOptions,
  FunctionSchema,
  NamesakeStrategy,
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
export class Toolkit {
  readonly #tools = new Map<string, RegisteredToolFunction>();
  readonly #groups = new ToolGroups();
  #metaTool: RegisteredToolFunction | undefined;
  #wantsMetaTool: boolean;
  readonly #options: ToolkitOptions;
  readonly #validator: ValidatorFactory | undefined;
  /** Outside all other middleware, and never taken away. */
  readonly #tracing: ToolMiddleware | undefined;
  readonly #middleware: ToolMiddleware[] = [];
  readonly #skills = new Map<string, AgentSkill>();
  readonly #mcp: McpClients;
  #calls = 0;

  constructor(options: ToolkitOptions = {}) {
    this.#options = options;
    this.#wantsMetaTool = options.metaTool ?? true;
    const { tracing, validator } = options;
    this.#validator = validator;
    this.#tracing = tracing ? traceToolkit(tracing === true ? {} : tracing) : undefined;
    this.#mcp = new McpClients({
      register: (tool, asked) => this.#registerNamed(tool, asked),
      current: (name) => this.#tools.get(name)?.unextended ?? this.#tools.get(name),
      remove: (name) => void this.removeToolFunction(name),
      snapshot: () => this.#snapshot(),
      demandGroup: (name) => this.#groups.demand(name),
    });
  }

  /** The registered tools by name, in order of registration. */
  get registered(): ReadonlyMap<string, RegisteredToolFunction> {
    return this.#tools;
  }

  /** The groups by name; `basic` is always there, and always active. */
  get groups(): ReadonlyMap<string, ToolGroup> {
    return this.#groups.all;
  }

  /**
   * Registers a tool, or a function with its schema in the options. Returns warnings: what was done otherwise than
   * asked. Throws `TypeError` for a mistake in the arguments, and `ToolkitError` with the codes `toolkit/name-clash`
   * (strategy `raise`) and `toolkit/unknown-group`.
   */
  registerToolFunction(tool: AnyTool, options?: RegisterOptions): string[];
  registerToolFunction(fn: AnyToolFunction, options?: RegisterFunctionOptions): string[];
  registerToolFunction(given: Registrable, options: RegisterFunctionOptions = {}): string[] {
    return this.#registerNamed(given, options).warnings;
  }

  /** Registers, and says under which name; undefined when it was skipped. */
  #registerNamed(
    given: Registrable,
    options: RegisterFunctionOptions,
  ): { warnings: string[]; name: string | undefined } {
    const warnings: string[] = [];
    let registered = readRegistration(given, options, warnings);
    this.#groups.demand(registered.groupName);
    if (this.#tools.has(registered.name)) {
      const name = this.#settleClash(registered.name, options.namesakeStrategy ?? "raise", warnings);
      if (name === undefined) return { warnings, name };
      if (name !== registered.name) registered = readRegistration(given, { ...options, name }, []);
    }
    const { name } = registered;
    if (name === metaToolName) this.#metaTool = undefined;
    this.#tools.set(name, this.#validator ? registered.withValidator(this.#validator) : registered);
    return { warnings, name };
  }

  /** The name to register under; undefined to leave it. */
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
        while (this.#tools.has(suffixed(name, number))) number++;
        warnings.push(`The tool ${shown} was there before: the new one is registered as "${suffixed(name, number)}".`);
        return suffixed(name, number);
      }
      case "raise": {
        const cure = 'choose another name, or a namesakeStrategy: "override", "skip" or "rename"';
        throw new ToolkitError("toolkit/name-clash", `There is a tool ${shown} already: ${cure}`, { name });
      }
      default:
        throw new TypeError(
          `namesakeStrategy must be raise, override, skip or rename, not ${JSON.stringify(strategy)}`,
        );
    }
  }

  /**
   * Removes a tool; true when there was one. With `allowNotExist: false`, throws `ToolkitError` with the code
   * `toolkit/unknown-tool` when there was none.
   */
  removeToolFunction(name: string, options: { allowNotExist?: boolean } = {}): boolean {
    if (this.#metaTool !== undefined && name === metaToolName) {
      this.#metaTool = undefined;
      this.#wantsMetaTool = false;
    }
    const removed = this.#tools.delete(name);
    if (!removed && options.allowNotExist === false) {
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
    this.#groups.create(name, options);
    if (this.#metaTool === undefined && this.#wantsMetaTool && this.#tools.has(metaToolName)) {
      return [`There is a tool "${metaToolName}" already: the model can't choose groups.`];
    }
    if (this.#metaTool !== undefined || this.#wantsMetaTool) this.#refreshMetaTool();
    return [];
  }

  /**
   * Activates groups, or puts them away. Returns warnings: names of groups that don't exist. Throws `ToolkitError` with
   * the code `toolkit/basic-group`, before anything changes.
   */
  updateToolGroups(names: readonly string[], active: boolean): string[] {
    return this.#groups.update(names, active);
  }

  /**
   * Adds middleware around every call; the first one registered is the outermost. Validation comes before it, approval too
   * where an executor asks for it; a changed call is validated again. Returns what takes it away. Throws `TypeError`.
   */
  registerMiddleware(middleware: ToolMiddleware): () => void {
    if (typeof middleware !== "function") throw new TypeError("registerMiddleware needs async function* (call, next)");
    const entry: ToolMiddleware = (call, next, about) => middleware(call, next, about);
    this.#middleware.push(entry);
    return () => {
      const at = this.#middleware.indexOf(entry);
      if (at >= 0) this.#middleware.splice(at, 1);
    };
  }

  /**
   * Lets the finish function ask for structured output: the model's properties join its schema, are validated with its
   * calls, and stand in the final response's `metadata.structured_output`, the finish text in `metadata.response_msg`.
   * `null` takes the model away. Throws `ToolkitError` with the codes `toolkit/unknown-tool` and
   * `toolkit/extended-model-clash`, before anything changes.
   */
  setExtendedModel(finishFunctionName: string, model: InputSource | null): void {
    const registered = this.#tools.get(finishFunctionName);
    const finish = registered?.unextended ?? registered;
    if (finish === undefined) {
      const message = `There is no tool ${JSON.stringify(finishFunctionName)} to extend: register it first`;
      throw new ToolkitError("toolkit/unknown-tool", message, { name: finishFunctionName });
    }
    this.#tools.set(finish.name, model === null ? finish : extendTool(finish, model, this.#validator));
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

  /** The same as {@link Toolkit.removeMcpClients}. */
  removeMcpServers(names: readonly string[]): Promise<string[]> {
    return this.#mcp.remove(names);
  }

  /** Removes and closes all MCP clients. Nothing else of a toolkit needs closing. */
  close(): Promise<void> {
    return this.#mcp.close();
  }

  /** Tools as they are; calling what it returns brings them back. */
  #snapshot(): () => void {
    const saved = [...this.#tools];
    const metaTool = this.#metaTool;
    return () => {
      this.#tools.clear();
      for (const [name, tool] of saved) this.#tools.set(name, tool);
      this.#metaTool = metaTool;
    };
  }

  /** What can be saved: the active groups, and with `registrations` names and options of the tools. JSON. */
  stateDict(options: { registrations?: boolean } = {}): ToolkitState {
    const activeGroups = this.#groups.own.filter(({ active }) => active).map(({ name }) => name);
    if (!options.registrations) return { activeGroups };
    return { activeGroups, registrations: [...this.#tools.values()].map(registrationOf) };
  }

  /**
   * Activates the groups of a saved state, and puts all others away. Returns warnings. Throws `TypeError` for what is no
   * state, and `ToolkitError` with the code `toolkit/unknown-group` unless `strict` is false; then nothing has changed.
   */
  loadStateDict(state: ToolkitState, options: LoadStateOptions = {}): string[] {
    const known = this.#groups.own.map(({ name }) => name);
    const { active, warnings } = readState(state, known, options);
    this.#groups.activateOnly(active);
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
    this.#tools.clear();
    this.#groups.remove(this.#groups.own.map(({ name }) => name));
    this.#middleware.length = 0;
    this.#skills.clear();
    this.#metaTool = undefined;
    this.#wantsMetaTool = this.#options.metaTool ?? true;
  }

  /** Removes groups with all their tools. Returns warnings, and throws, as {@link Toolkit.updateToolGroups}. */
  removeToolGroups(names: readonly string[]): string[] {
    const warnings = this.#groups.remove(names);
    for (const [name, tool] of this.#tools) if (names.includes(tool.groupName)) this.#tools.delete(name);
    if (this.#metaTool !== undefined) this.#refreshMetaTool();
    return warnings;
  }

  /** The notes of the active groups, for a prompt; empty when there are none. */
  getToolGroupNotes(): string {
    return this.#groups.notes();
  }

  /**
   * Registers the meta tool `reset_equipped_tools`, with which a model chooses its groups. Throws `ToolkitError` with
   * the code `toolkit/name-clash` when there is another tool of that name.
   */
  enableMetaTool(): void {
    if (this.#metaTool === undefined && this.#tools.has(metaToolName)) {
      const message = `There is another tool "${metaToolName}"`;
      throw new ToolkitError("toolkit/name-clash", message, { name: metaToolName });
    }
    this.#refreshMetaTool();
  }

  #refreshMetaTool(): void {
    this.#metaTool = makeMetaTool(this.#groups);
    this.#tools.set(metaToolName, this.#metaTool);
  }

  /** The tools in OpenAI's function shape: of the active groups, or of the named ones. Copies. */
  getJsonSchemas(groupNames?: readonly string[] | null): FunctionSchema[] {
    return this.#listed(groupNames).map((tool) => tool.jsonSchema);
  }

  /** The tools as core's definitions, for prompts: of the active groups, or of the named ones. */
  definitions(groupNames?: readonly string[] | null): ToolDefinition[] {
    return this.#listed(groupNames).map((tool) => ({ ...tool.definition }));
  }

  /**
   * The tools as core tools, for programs and for other runtimes: `execute` validates, coerces, post-processes, and
   * gives the data, else the text, else the content blocks. A failure is a `ToolError` whose message is for the model.
   */
  tools(groupNames?: readonly string[] | null): AnyTool[] {
    return this.#listed(groupNames).map((tool) => ({
      ...tool.definition,
      execute: async (input: unknown, context?: Partial<ToolContext>): Promise<unknown> => {
        const call = this.#toCall(context?.callId, tool.name, input, undefined);
        const signal = context?.signal;
        let final: ToolResponse | undefined;
        for await (const response of this.#run({ tool }, call, signal === undefined ? {} : { signal }))
          final = response;
        return resultValue(final as ToolResponse);
      },
    }));
  }

  /**
   * Calls a tool. Chunks come as the tool gives them; the last response, and only that one, has `isLast`. Faults of
   * model and tool are responses (`status: "error"`); with `onError: "throw"`, what the tool threw is thrown after it.
   * Throws `TypeError` at once when the call has no name.
   */
  callToolFunction(call: ToolCallRequest, options: CallOptions = {}): AsyncGenerator<ToolResponse, void, undefined> {
    if (typeof call !== "object" || call === null || typeof call.name !== "string") {
      throw new TypeError("callToolFunction needs a call with a name: { id, name, input }");
    }
    const { onError } = options;
    if (onError !== undefined && onError !== "respond" && onError !== "throw") {
      throw new TypeError(`onError must be "respond" or "throw", not ${JSON.stringify(onError)}`);
    }
    const found = this.#find(call.name);
    const whole = this.#toCall(call.id, call.name, call.input, call);
    return this.#run("ok" in found ? { prepared: found } : { tool: found }, whole, options);
  }

  /** Runs a call that was prepared before, through the middleware. For executors. */
  runPrepared(
    prepared: Prepared,
    call: ToolCall,
    options: PreparedCallOptions = {},
  ): AsyncGenerator<ToolResponse, void, undefined> {
    return this.#run({ prepared }, call, options);
  }

  #run(
    target: CallTarget,
    call: ToolCall,
    options: PreparedCallOptions,
  ): AsyncGenerator<ToolResponse, void, undefined> {
    const { around, step, signal, onError } = options;
    const middleware = [...this.#middleware];
    if (around !== undefined) middleware.unshift(around);
    if (this.#tracing !== undefined && isTraced()) middleware.unshift(this.#tracing);
    if (middleware.length === 0) return runCall(target, call, options);
    const tool = this.#tools.get(call.name)?.definition;
    const about: CallRecord = { tool, step, attempts: 0, thrown: [] };
    const run = (asked: ToolCall): AsyncGenerator<ToolResponse, void, undefined> => {
      if (asked === call) return runCall(target, call, options, about);
      const found = this.#find(asked.name);
      return runCall("ok" in found ? { prepared: found } : { tool: found }, asked, options, about);
    };
    return throughMiddleware(middleware, call, run, { signal, rethrow: onError === "throw", about });
  }

  /**
   * Finds the tool and validates the input, without running anything: for executors, which ask in between. `given`: values
   * of this call that are no JSON (bytes, resources); they are passed on as they are.
   */
  prepareCall(call: ToolCall, given?: Readonly<Record<string, unknown>>): Prepared | Promise<Prepared> {
    const found = this.#find(call.name);
    return "ok" in found ? found : prepareInput(found, call, given);
  }

  /** The call as core has it; `given` is passed on when it is one already, with all that stands in it. */
  #toCall(id: string | undefined, name: string, input: unknown, given: ToolCallRequest | undefined): ToolCall {
    if (given?.id !== undefined && given.protocol !== undefined && "input" in given) return given as ToolCall;
    return { id: id ?? `call-${++this.#calls}`, name, input, protocol: given?.protocol ?? "toolkit" };
  }

  #find(name: string): RegisteredToolFunction | (Prepared & { ok: false }) {
    const tool = this.#tools.get(name);
    if (tool !== undefined && this.#groups.isActive(tool.groupName)) return tool;
    if (tool !== undefined) {
      const cure = this.#metaTool === undefined ? "" : ` Activate the group with ${metaToolName} first.`;
      const message = `The tool "${name}" is in the group "${tool.groupName}", which is not active.${cure}`;
      return { ok: false, error: { type: errorTypes.inactiveTool, message } };
    }
    const names = this.#listed().map((listed) => listed.name);
    const near = nearest(name, names);
    const known = names.length === 0 ? "There are no tools." : `The tools are: ${listNames(names)}.`;
    const cure = near.length > 0 ? `Did you mean ${near.map((one) => `"${one}"`).join(" or ")}?` : known;
    const error = { type: errorTypes.unknownTool, message: `There is no tool ${JSON.stringify(name)}. ${cure}` };
    return { ok: false, error };
  }

  #listed(groupNames?: readonly string[] | null): RegisteredToolFunction[] {
    for (const name of groupNames ?? []) this.#groups.demand(name);
    const isListed = (group: string): boolean =>
      groupNames ? groupNames.includes(group) : this.#groups.isActive(group);
    return [...this.#tools.values()].filter((tool) => isListed(tool.groupName));
  }
}

function suffixed(name: string, number: number): string {
  const suffix = `_${number}`;
  return name.slice(0, 64 - suffix.length) + suffix;
}

function listNames(names: readonly string[]): string {
  return names.length > 20 ? `${names.slice(0, 20).join(", ")} and ${names.length - 20} more` : names.join(", ");
}

/** What a program gets of a response. */
function resultValue(response: ToolResponse): unknown {
  const { status, error, content, data } = response;
  if (status !== "ok" && status !== "pending") {
    const { type, hint, issues } = error ?? { type: status };
    throw new ToolError(error?.message ?? contentText(content), {
      data: { type, ...(hint === undefined ? {} : { hint }), ...(issues === undefined ? {} : { issues }) },
    });
  }
  if (data !== undefined || isNoOutput(content)) return data;
  return content.every((block) => block.type === "text") ? contentText(content) : content;
}
