import type { AnyTool, ToolCall, ToolDefinition, ToolSource } from "@toolglot/core";
import { CallGuard } from "@toolglot/core/check-call";
import { checkKeys, defined } from "@toolglot/internal";
import { isTraced } from "@toolglot/internal/otel";
import type { ArgsShorthand, CheckedArgs, InferArgs, InferInput, InputSource, StandardInput } from "@toolglot/schema";
import { asTool } from "./call/as-tool.ts";
import { readOnce } from "./call/call-once.ts";
import { checkMiddleware, throughMiddleware } from "./call/middleware.ts";
import { prepareCall } from "./call/prepare.ts";
import type { Prepared } from "./call/prepared.ts";
import type { RegisteredToolFunction } from "./call/registered.ts";
import type { ToolResponse } from "./call/response.ts";
import { type CallSetting, type CallTarget, runCall } from "./call/run.ts";
import { traceToolkit } from "./call/tracing.ts";
import type { CallRecord, Responses } from "./call/types.ts";
import { ToolkitError } from "./errors.ts";
import { McpClients } from "./mcp/mcp-clients.ts";
import type { McpClient, RegisterMcpOptions } from "./mcp/types.ts";
import { ToolRegistry } from "./registry/registry.ts";
import { type AgentSkill, addSkill, skillsPrompt } from "./registry/skills.ts";
import { type LoadStateOptions, loadState, saveState, type ToolkitState } from "./registry/state.ts";
import type { Untyped } from "./registry/tool-facts.ts";
import type {
  AnyToolFunction,
  CallOptions,
  FunctionSchema,
  RegisterFunctionOptions,
  RegisterOptions,
  Registrable,
  ToolCallRequest,
  ToolFunction,
  ToolGroup,
  ToolGroupOptions,
  ToolkitOptions,
  ToolMiddleware,
} from "./types.ts";

type Values = Readonly<Record<string, unknown>>;
type NoValues = Readonly<Record<never, unknown>>;
const callKeys =
  'signal:signal onError:"throw"|"respond" step:number runId:text wait:function ask:function hooked:object around:function';

/**
 * A registry of tools, and the runtime that calls them: every call ends with exactly one final response.
 *
 * @example
 * ```ts
 * const toolkit = new Toolkit();
 * toolkit.registerToolFunction(({ a, b }) => a + b, {
 *   name: "add",
 *   description: "Adds two numbers.",
 *   args: { a: "number", b: "number" },
 * });
 * const values: unknown[] = [];
 * for await (const { data } of toolkit.callToolFunction({ name: "add", input: { a: 19, b: 23 } })) values.push(data);
 * ```
 */
export class Toolkit implements ToolSource {
  readonly #registry: ToolRegistry;
  readonly #setting: CallSetting;
  readonly #mcp: McpClients;
  readonly #skills = new Map<string, AgentSkill>();
  /** Outside all other middleware; `clear` keeps it. */
  readonly #tracing: ToolMiddleware | undefined;
  readonly #middleware: ToolMiddleware[] = [];
  #calls = 0;

  constructor(options: ToolkitOptions = {}) {
    const kinds =
      'checkCalls:"refuse"|"report"|"off" metaTool:boolean tracing:boolean|object validator:function once:object';
    checkKeys("new Toolkit", options, kinds);
    const { checkCalls: mode = "refuse", tracing, validator, metaTool = true } = options;
    this.#setting = { guard: mode === "off" ? undefined : new CallGuard({ mode }) };
    this.#registry = new ToolRegistry({ metaTool, validator, once: options.once && readOnce(options.once) });
    this.#tracing = tracing ? traceToolkit(tracing === true ? {} : tracing) : undefined;
    this.#mcp = new McpClients(this.#registry);
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
   * Registers a tool, or a function with its schema in the options. Returns warnings: where the result differs from the
   * request. Throws `TypeError` for a mistake in the arguments, and `ToolkitError` with the codes `toolkit/name-clash`
   * (strategy `raise`) and `toolkit/unknown-group`.
   *
   * @example
   * ```ts
   * toolkit.registerToolFunction(({ city, unit }) => `18 °${unit} in ${city}`, {
   *   name: "weather",
   *   description: "Returns the weather of a city.",
   *   args: { city: "string - City name", unit: "'C' | 'F'" },
   *   presets: { unit: "C" }, // the model neither sees nor sets it
   * });
   * ```
   */
  registerToolFunction(tool: AnyTool, options?: RegisterOptions): string[];
  /** Registers a function whose parameter has the shorthand's type, with the presets. */
  registerToolFunction<const Args extends ArgsShorthand, Presets extends Values = NoValues>(
    fn: ToolFunction<Omit<InferArgs<Args>, keyof NoInfer<Presets>> & NoInfer<Presets>>,
    options: RegisterFunctionOptions & { args: CheckedArgs<Args>; presets?: Presets },
  ): string[];
  /** Registers a function whose parameter has the schema's type, with the presets. */
  registerToolFunction<Source extends StandardInput, Presets extends Values = NoValues>(
    fn: ToolFunction<Omit<InferInput<Source>, keyof NoInfer<Presets>> & NoInfer<Presets>>,
    options: RegisterFunctionOptions & { input: Source; presets?: Presets },
  ): string[];
  /** Registers a function whose schema carries no types, or that takes nothing. */
  registerToolFunction<const Options extends RegisterFunctionOptions>(
    fn: AnyToolFunction,
    options: Options & Untyped<Options>,
  ): string[];
  registerToolFunction(given: Registrable, options: RegisterOptions | RegisterFunctionOptions = {}): string[] {
    return this.#registry.register(given, options).warnings;
  }

  /**
   * Removes a tool; true when there was one. With `mustExist`, throws `ToolkitError` with the code
   * `toolkit/unknown-tool` when there was none.
   */
  removeToolFunction(name: string, options: { mustExist?: boolean } = {}): boolean {
    checkKeys("removeToolFunction", options, "mustExist:boolean");
    const removed = this.#registry.remove(name);
    if (!removed && options.mustExist) {
      throw new ToolkitError("toolkit/unknown-tool", `There is no tool ${JSON.stringify(name)} to remove`, { name });
    }
    return removed;
  }

  /**
   * Creates a group, inactive by default. The first one brings the meta tool `reset_equipped_tools` with it,
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
   * Adds middleware around every call; the first one registered is the outermost. Validation comes before it, and
   * approval where an executor asks for it; a changed call is validated again. Returns a function that removes it.
   * Throws `TypeError`.
   */
  registerMiddleware(middleware: ToolMiddleware): () => void {
    checkMiddleware(middleware);
    // A function of its own, so that one middleware can be registered twice.
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
   * `null` removes the model. Throws `ToolkitError` with the codes `toolkit/unknown-tool` and
   * `toolkit/extended-model-clash`, before anything changes.
   */
  setExtendedModel(finishFunctionName: string, model: InputSource | null): void {
    this.#registry.extend(finishFunctionName, model);
  }

  /**
   * Registers all tools of an MCP server that can be used, or none; connects if need be. They follow the server's list from
   * then on. Returns warnings: tools that were left out or got another name, names in the options that the server doesn't
   * have, and what {@link Toolkit.registerToolFunction} warns of. Throws as that does, and `ToolkitError` with the codes
   * `toolkit/mcp-missing`, `toolkit/mcp-connection` and `toolkit/mcp-unauthorised`.
   *
   * The first server with resources brings the tools `list_mcp_resources` and `read_mcp_resource` with it, which are for all of them.
   */
  registerMcpClient(client: McpClient, options: RegisterMcpOptions = {}): Promise<string[]> {
    return this.#mcp.register(client, options);
  }

  /**
   * Returns the instructions of MCP servers for a model, each under a heading, shortened and neutralised; undefined when no server has
   * any. Part of core's `ToolSource`.
   */
  instructions(): string | undefined {
    return this.#mcp.instructions();
  }

  /** Removes the tools of MCP clients, and closes them. Returns warnings: names that are none. */
  removeMcpClients(names: readonly string[]): Promise<string[]> {
    return this.#mcp.remove(names);
  }

  /**
   * Removes and closes all MCP clients, also those whose registration is under way, which rejects with `toolkit/closed`, as every
   * later one does. Nothing else of a toolkit needs closing.
   */
  close(): Promise<void> {
    return this.#mcp.close();
  }

  /** Returns what can be saved: the active groups, and with `registrations` names and options of the tools. JSON. */
  saveState(options: { registrations?: boolean } = {}): ToolkitState {
    return saveState(this.#registry, options);
  }

  /**
   * Activates the groups of a saved state, and puts all others away. Returns warnings. Throws `TypeError` for what is
   * no state, and `ToolkitError` with the code `toolkit/unknown-group` unless `strict` is false; then nothing has
   * changed.
   */
  loadState(state: ToolkitState, options: LoadStateOptions = {}): string[] {
    return loadState(this.#registry, state, options);
  }

  /** Registers a skill; `readAgentSkill` of `@toolglot/toolkit/node` reads one from its folder. Throws `TypeError`. */
  registerAgentSkill(skill: AgentSkill): void {
    addSkill(this.#skills, skill);
  }

  /** Removes a skill; true when there was one. */
  removeAgentSkill(name: string): boolean {
    return this.#skills.delete(name);
  }

  /** Returns the skills as a text for the system prompt; undefined when there are none. */
  getAgentSkillPrompt(): string | undefined {
    return skillsPrompt(this.#skills.values());
  }

  /**
   * Resets the toolkit to its initial state: without tools, groups except `basic`, middleware and skills. MCP clients
   * stay open until they are removed.
   */
  clear(): void {
    this.#mcp.detach();
    this.#registry.clear();
    this.#middleware.length = 0;
    this.#skills.clear();
  }

  /** Removes groups with all their tools. Returns warnings, and throws, as {@link Toolkit.updateToolGroups}. */
  removeToolGroups(names: readonly string[]): string[] {
    return this.#registry.removeGroups(names);
  }

  /** Returns the notes of the active groups, for a prompt; empty when there are none. */
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

  /** Returns the tools in OpenAI's function shape: of the active groups, or of the named ones. Copies. */
  getJsonSchemas(groupNames?: readonly string[] | null): FunctionSchema[] {
    return this.#registry.listed(groupNames).map((tool) => tool.jsonSchema);
  }

  /**
   * Returns the tools as core's definitions, for prompts: of the active groups, or of the named ones. Of the active groups, the
   * same frozen list as long as nothing has changed: a toolkit is a core `ToolSource`, which an agent reads before each
   * request.
   */
  definitions(groupNames?: readonly string[] | null): ToolDefinition[] {
    if (groupNames) return this.#registry.listed(groupNames).map((tool) => tool.definition);
    return this.#registry.definitions() as ToolDefinition[];
  }

  /**
   * Calls the listener when {@link Toolkit.definitions} returns another list than before: a tool was registered or
   * removed, a group was activated or deactivated, an MCP server changed its tools. Once for all changes of one moment.
   * Returns a function that ends it.
   */
  onChange(listener: () => void): () => void {
    if (typeof listener !== "function") throw new TypeError("onChange needs a function");
    return this.#registry.onChange(listener);
  }

  /**
   * Returns the tools as core tools, for programs and for other runtimes: `execute` validates, coerces, post-processes, and
   * resolves with the data, else the text, else the content blocks. A failure is a `ToolError` whose message is for the model.
   */
  tools(groupNames?: readonly string[] | null): AnyTool[] {
    return this.#registry.listed(groupNames).map((tool) =>
      asTool(tool, (input, { callId, signal, runId, wait, ask, hooked }) => {
        const call = this.#toCall({ name: tool.name, input, ...defined({ id: callId }) });
        return this.#run(tool, call, defined({ signal, runId, wait, ask, hooked }));
      }),
    );
  }

  /**
   * Calls a tool. Chunks come as the tool yields them; the last response, and only that one, has `isLast`. Faults of
   * model and tool are responses (`status: "error"`); with `onError: "throw"`, what the tool threw is thrown after it.
   * Throws `TypeError` at once when the call has no name.
   */
  callToolFunction(call: ToolCallRequest, options: CallOptions = {}): AsyncGenerator<ToolResponse, void, undefined> {
    checkKeys("callToolFunction", options, callKeys);
    if (typeof call !== "object" || call === null || typeof call.name !== "string") {
      throw new TypeError("callToolFunction needs a call with a name: { id, name, input }");
    }
    return this.#run(this.#registry.find(call.name), this.#toCall(call), options);
  }

  /** Runs a call that was prepared before, through the middleware. For executors. */
  runPrepared(
    prepared: Prepared,
    call: ToolCall,
    options: CallOptions = {},
  ): AsyncGenerator<ToolResponse, void, undefined> {
    checkKeys("runPrepared", options, callKeys);
    return this.#run(prepared, call, options);
  }

  /**
   * Finds the tool, looks for damage and validates the input, without running anything: for executors, which ask for approval in between.
   * `given`: values of this call that are no JSON (bytes, resources); they are passed on as they are.
   */
  prepareCall(call: ToolCall, given?: Readonly<Record<string, unknown>>): Prepared | Promise<Prepared> {
    const found = this.#registry.find(call.name);
    return "ok" in found ? found : prepareCall(this.#setting.guard, found, call, given);
  }

  /** Returns the call as core has it. One that is complete already is passed on with everything in it. */
  #toCall(given: ToolCallRequest): ToolCall {
    const { id, name, input, protocol } = given;
    if (id !== undefined && protocol !== undefined && "input" in given) return given as ToolCall;
    return { id: id ?? `call-${++this.#calls}`, name, input, protocol: protocol ?? "toolkit" };
  }

  #run(target: CallTarget, call: ToolCall, options: CallOptions): Responses {
    const middleware = [...this.#middleware];
    if (options.around !== undefined) middleware.unshift(options.around);
    if (this.#tracing !== undefined && isTraced()) middleware.unshift(this.#tracing);
    if (middleware.length === 0) return runCall(target, call, options, this.#setting);
    const tool = this.#registry.tools.get(call.name)?.definition;
    const { step, wait } = options;
    const record: CallRecord = { tool, step, wait, attempts: 0, thrown: [] };
    const run = (changed: ToolCall): Responses =>
      changed === call
        ? runCall(target, call, options, { ...this.#setting, record })
        : runCall(this.#registry.find(changed.name), changed, options, { record });
    return throughMiddleware(middleware, call, run, options, record);
  }
}
