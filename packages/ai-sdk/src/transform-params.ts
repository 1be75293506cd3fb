import { type ToolDefinition, ToolglotError } from "@toolglot/core";
import { type Bridge, type BridgeOptions, createBridge } from "@toolglot/core/bridge";
import { decodePrompt, encodePrompt, refusalsInARow } from "./history.ts";
import type { ToolglotMiddlewareOptions } from "./options.ts";
import { asWritten } from "./refused-calls.ts";
import type { CallParams, FunctionTool, PromptMessage, ProviderTool, SpecificationVersion, Warning } from "./spec.ts";

/** State of one request, for its answer. */
export interface CallState {
  /** Reads the answer; undefined: nothing is searched. */
  bridge: Bridge | undefined;
  warnings: Warning[];
  stop: readonly string[];
  /** The tool that has to be called, or any. */
  required: string | true | undefined;
  /** Calls of one answer are steps of a plan. */
  isPlan: boolean;
  /** Tools are declared to the provider: calls in text count only where it made none. */
  isNative: boolean;
}

/** Providers take so many stop sequences. */
const maxStops = 4;

/** After so many answers in a row that were refused, the next one is shown as it is. */
const maxRefusals = 2;

type Options = Omit<ToolglotMiddlewareOptions<SpecificationVersion>, "onDiagnostic">;

/** Returns a request as a model without function calls gets it. */
export function transformParams(
  params: CallParams,
  options: Options,
  version: SpecificationVersion,
): { params: CallParams; state: CallState } {
  const { protocol, programs, locale, values, placement = "first", providerTools = "pass", definitions = [] } = options;
  const { tools: given = [], toolChoice, ...rest } = params;
  const declared = given.filter((tool) => tool.type === "function").map((tool) => toDefinition(tool, definitions));
  const provided = given.filter((tool) => tool.type !== "function") as ProviderTool[];
  const warnings: Warning[] = [];
  if (providerTools === "drop")
    for (const { name } of provided) warnings.push({ type: "unsupported", feature: `provider tool ${name}` });
  const passed = providerTools === "drop" ? [] : provided;
  const isNative = protocol.declaresTools === true;
  // What the provider is asked for is its own matter.
  const choice = !isNative ? choose(toolChoice, declared) : toolChoice?.type === "none" ? "none" : "auto";
  const prompt = decodePrompt(params.prompt);
  const wished = options.unreadable !== "text";
  const feedback = wished && refusalsInARow(prompt) < maxRefusals;
  if (wished && !feedback)
    warnings.push(other(`the last ${maxRefusals} answers could not be read; this one is shown as it is.`));
  const bridge = createBridge(protocol, {
    tools: declared,
    toolChoice: choice,
    unreadable: feedback ? "feedback" : "text",
    ...(programs !== undefined && { programs }),
    ...(locale !== undefined && { locale }),
    ...(values !== undefined && { values }),
  });
  const searches = isNative ? declared.length > 0 && choice !== "none" : bridge.system !== "";
  const stop = stopSequences(params.stopSequences, bridge.stop, warnings);
  const changed: CallParams = {
    ...rest,
    prompt: withSystem(encodePrompt(prompt, bridge, version), bridge.system, placement),
    ...(passed.length > 0 && { tools: passed }),
    // What is required is our tools' matter, unless nothing may be called at all.
    ...(passed.length > 0 &&
      toolChoice &&
      (toolChoice.type === "auto" || toolChoice.type === "none") && { toolChoice }),
    ...(stop !== undefined && { stopSequences: stop }),
  };
  const required: CallState["required"] =
    choice === "required" ? true : typeof choice === "object" ? choice.tool : undefined;
  const state = {
    bridge: searches ? bridge : undefined,
    warnings,
    stop: stop ?? [],
    required,
    isPlan: protocol.carries === "plan",
    isNative,
  };
  return { params: isNative ? declaredParams(params, providerTools) : changed, state };
}

/** Returns a request whose tools the provider shows the model. */
function declaredParams(params: CallParams, providerTools: Options["providerTools"]): CallParams {
  const { tools, prompt } = params;
  const kept = providerTools === "drop" ? tools?.filter(({ type }) => type === "function") : tools;
  return { ...params, prompt: asWritten(prompt, "message"), ...(kept && { tools: kept }) };
}

export const other = (message: string): Warning => ({ type: "other", message: `toolglot: ${message}` });

function toDefinition(tool: FunctionTool, definitions: readonly ToolDefinition[]): ToolDefinition {
  const known = definitions.find(({ name }) => name === tool.name);
  const { name, description = known?.description ?? "", inputSchema, inputExamples } = tool;
  return {
    ...(inputExamples && { examples: inputExamples.map(({ input }) => ({ input })) }),
    ...known,
    name,
    description,
    inputSchema,
  };
}

function choose(
  choice: CallParams["toolChoice"],
  tools: readonly ToolDefinition[],
): NonNullable<BridgeOptions["toolChoice"]> {
  if (choice === undefined || choice.type === "auto") return "auto";
  if (choice.type === "none") return "none";
  const names = tools.map(({ name }) => name);
  if (choice.type === "tool" ? names.includes(choice.toolName) : names.length > 0)
    return choice.type === "tool" ? { tool: choice.toolName } : "required";
  const what = choice.type === "tool" ? `the tool ${JSON.stringify(choice.toolName)}` : "a tool";
  const there =
    names.length > 0
      ? `The tools that can be called in text are: ${names.join(", ")}.`
      : "No tools can be called in text.";
  throw new ToolglotError("ai-sdk/tool-choice", `toolChoice asks for ${what}. ${there}`, { data: { tools: names } });
}

/** Returns the caller's, then the protocol's; the protocol's give way. */
function stopSequences(
  own: readonly string[] | undefined,
  protocols: readonly string[],
  warnings: Warning[],
): string[] | undefined {
  const all = [...new Set([...(own ?? []), ...protocols])];
  const room = Math.max(maxStops, new Set(own).size);
  if (all.length > room)
    warnings.push(
      other(
        `providers take ${maxStops} stop sequences; left out: ${all
          .slice(room)
          .map((one) => JSON.stringify(one))
          .join(", ")}.`,
      ),
    );
  return all.length > 0 ? all.slice(0, room) : own && [];
}

function withSystem(prompt: PromptMessage[], system: string, placement: "first" | "last"): PromptMessage[] {
  if (system === "") return prompt;
  const isSystem = ({ role }: PromptMessage): boolean => role === "system";
  const at = placement === "first" ? prompt.findIndex(isSystem) : prompt.findLastIndex(isSystem);
  const message = prompt[at];
  if (!message) return [{ role: "system", content: system }, ...prompt];
  const joined = [message.content as string, system].filter((text) => text !== "").join("\n\n");
  return prompt.map((one, index) => (index === at ? { ...one, content: joined } : one));
}
