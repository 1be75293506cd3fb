import { checkKeys } from "@toolglot/internal";
import { CallGuard } from "../check-call/check-call.ts";
import type { Locale, ToolProtocol } from "../protocol.ts";
import type { ToolDefinition } from "../tool-definition.ts";
import { AnswerReader, readPlainText } from "./answer-reader.ts";
import { asParts, encodeHistory } from "./history.ts";
import { type BridgeSetup, nowhere } from "./setup.ts";
import type { Bridge, BridgeOptions, BridgeReaderOptions } from "./types.ts";
import { type BridgeWording, bridgeWordings } from "./wording.ts";

/** By protocol and language: stacks make a bridge for each request, and a call that is sent again comes in the next one. */
const guards = /* @__PURE__ */ new WeakMap<ToolProtocol, Map<Locale, CallGuard>>();

function guardOf(protocol: ToolProtocol, locale: Locale): CallGuard {
  const known = guards.get(protocol) ?? new Map<Locale, CallGuard>();
  guards.set(protocol, known);
  const guard = known.get(locale) ?? new CallGuard({ locale, uniqueIds: true });
  known.set(locale, guard);
  return guard;
}

/**
 * Creates a bridge: a stack with calls and results of its own (an SDK, a framework) talks to a model in a protocol that is text. Nothing is
 * kept between answers, so a history that was stored and shortened is written to the same text.
 *
 * A protocol that declares tools to the provider, and finds calls in text, too, has no instructions and leaves the history in parts: only
 * its reader is needed, for answers without a native call.
 *
 * Throws `TypeError` for options that can't be meant: a protocol that declares tools and reads no text, programs without `programs`, a
 * choice of a tool that is not there.
 *
 * @example
 * ```ts
 * const bridge = createBridge(protocol, { tools });
 * const events: BridgeEvent[] = [];
 * const reader = bridge.createReader({ onEvent: (event) => events.push(event) });
 * for (const chunk of chunks) reader.feed(chunk);
 * const { calls } = reader.end({ finish: "stop" });
 * ```
 */
export function createBridge(protocol: ToolProtocol, options: BridgeOptions): Bridge {
  checkKeys(
    "createBridge",
    options,
    'tools:object[] locale:"zh"|"en" toolChoice:"none"|"auto"|"required"|object programs:object unreadable:"feedback"|"text" values:"hold"|"run" guard:{check}',
    ["tools"],
  );
  const { tools, locale = "en", toolChoice = "auto", programs, unreadable = "feedback", values = "hold" } = options;
  oneOf("locale", locale, ["en", "zh"]);
  oneOf("unreadable", unreadable, ["feedback", "text"]);
  oneOf("values", values, ["hold", "run"]);
  checkProtocol(protocol, options);
  const { guard = guardOf(protocol, locale) } = options;
  const words = bridgeWordings[locale];
  const names = tools.map(({ name }) => name);
  const chosen = chooseTools(tools, toolChoice, programs?.tool);
  const shown = chosen.length > 0 ? (programs?.tools ?? chosen) : [];
  const setup: BridgeSetup = {
    protocol,
    tools: new Map(chosen.map((tool) => [tool.name, tool])),
    shown,
    programs: programs && { tool: programs.tool, language: languageOf(protocol) },
    words,
    feedback: unreadable === "feedback",
    guard: values === "run" || programs ? undefined : guard,
    holds: values === "hold" && !(programs?.tools.every(isReadOnly) ?? false),
  };
  const searches = chosen.length > 0;
  const order = orderOf(toolChoice, programs !== undefined, words);
  const isText = !protocol.declaresTools;
  const system =
    searches && isText ? [protocol.instructions(shown, { locale, mode: "loop" }).trimEnd(), ...order].join("\n\n") : "";
  /** Calls of tools that are no longer there are history too. */
  const history = { ...setup, shown: programs?.tools ?? tools };
  return {
    system,
    stop: searches ? [...protocol.stop] : [],
    encode: (messages) => (isText ? encodeHistory(messages, history) : asParts(messages)),
    createReader(reading: BridgeReaderOptions) {
      checkKeys("createReader", reading, "onEvent:function newId:function", ["onEvent"]);
      if (typeof reading.onEvent !== "function") throw new TypeError("createReader: onEvent is a function.");
      return searches ? new AnswerReader(setup, reading) : readPlainText(reading);
    },
  };

  function chooseTools(all: readonly ToolDefinition[], choice: typeof toolChoice, program: string | undefined) {
    if (choice === "none") return [];
    if (program !== undefined && all.length > 0 && !names.includes(program))
      throw new TypeError(
        `createBridge: programs.tool is ${JSON.stringify(program)}, which is none of: ${names.join(", ")}.`,
      );
    const usable = program === undefined ? all : all.filter(({ name }) => name === program);
    if (typeof choice === "object") {
      checkKeys("createBridge: toolChoice", choice, "tool:string", ["tool"]);
      const one = usable.filter(({ name }) => name === choice.tool);
      if (one.length > 0) return one;
      const others = usable.map(({ name }) => name).join(", ") || "there are none";
      throw new TypeError(
        `createBridge: toolChoice names ${JSON.stringify(choice.tool)}, which is none of the tools: ${others}.`,
      );
    }
    oneOf("toolChoice", choice, ["auto", "none", "required"]);
    if (choice === "required" && usable.length === 0)
      throw new TypeError('createBridge: toolChoice is "required", and there are no tools.');
    return usable;
  }
}

function oneOf(name: string, value: unknown, known: readonly string[]): void {
  if (!known.includes(value as string))
    throw new TypeError(
      `createBridge: ${name} is ${known.map((one) => JSON.stringify(one)).join(" or ")}, not ${JSON.stringify(value)}.`,
    );
}

const isReadOnly = ({ annotations }: ToolDefinition): boolean => annotations?.readOnlyHint === true;

function checkProtocol(
  { id, carries, declaresTools, readsText }: ToolProtocol,
  { programs, tools }: BridgeOptions,
): void {
  if (declaresTools && !readsText)
    throw new TypeError(
      `createBridge: ${id} declares its tools to the provider, and needs no bridge: pass a protocol that is text.`,
    );
  if (carries === "code" && programs === undefined) {
    const code =
      tools.find(({ inputSchema }) => Object.hasOwn(inputSchema.properties ?? {}, "code"))?.name ?? "run_program";
    throw new TypeError(
      `createBridge: in ${id} the model writes programs. Say which tool runs them, and what they may call: programs: { tool: "${code}", tools: [...] }. codeTools of @toolglot/sandbox makes such a tool.`,
    );
  }
  if (programs === undefined) return;
  checkKeys("createBridge: programs", programs, "tool:string tools:object[]", ["tool", "tools"]);
  if (carries !== "code") throw new TypeError(`createBridge: programs is for protocols of programs; ${id} has none.`);
}

function orderOf(choice: BridgeOptions["toolChoice"], programs: boolean, words: BridgeWording): string[] {
  if (choice === "required" || (typeof choice === "object" && programs))
    return [programs ? words.requiredProgram : words.required];
  return typeof choice === "object" ? [words.requiredTool(choice.tool)] : [];
}

/** Returns what a protocol's programs are written in: the language that it writes. */
function languageOf(protocol: ToolProtocol): "python" | "javascript" {
  try {
    protocol.formatActions([{ kind: "code", id: "", language: "python", source: "1\n", span: nowhere }]);
    return "python";
  } catch {
    return "javascript";
  }
}
