import { checkKeys } from "@toolglot/internal";
import type { Action } from "../action.ts";
import type { ToolCall, ToolResult } from "../call.ts";
import { encodeAsText, type Message } from "../message.ts";
import type {
  BlockBase,
  EncodeOptions,
  FormatActionsOptions,
  Locale,
  ParseOptions,
  ParseResult,
  Parser,
  PromptBuilder,
  ProtocolEvent,
  ProtocolMode,
  ToolProtocol,
} from "../protocol.ts";
import type { ToolDefinition } from "../tool-definition.ts";
import { type ActionWriter, formatActions } from "./format-actions.ts";

/** Options of every protocol that is text. */
export interface TextProtocolOptions {
  /** What teaches the model the protocol: a prompt of `@toolglot/prompts`, or your own for the same version. Checked. */
  prompt: PromptBuilder;
  /** Language of the tools' manual (unless the caller names another one), results and explanations. Default `en`. */
  locale?: Locale;
  /** `single`: an answer without a block is a mistake, and explained. Default `loop`: it is the final answer. */
  mode?: ProtocolMode;
  /**
   * UTF-16 units of results that the model gets back at once. Longer ones show their beginning and their end. Default 16,000; in an agent's loop
   * the agent's `context.maxResultChars`, unless this is less.
   */
  maxResultChars?: number;
}

/** What a protocol that is text is made of; the rest is the same for all. */
export interface TextProtocolParts<Block extends BlockBase> {
  id: string;
  /** Counted apart from npm versions, as `tam/1`. */
  version: string;
  stop: string[];
  carries: ToolProtocol["carries"];
  /** Named when another prompt is passed: `tamPrompt from @toolglot/prompts/tam`. */
  ownPrompt: string;
  /** Options that only this protocol has, as words of `checkKeys`. */
  options?: readonly string[];
  renderTools(tools: readonly ToolDefinition[], options: { locale: Locale }): string;
  createParser(options: ParseOptions & { onEvent?: (event: ProtocolEvent<Block>) => void }): Parser<Block>;
  /** Returns what a block asks for; `tools` are those that its parser was made with. */
  actions(block: Block, tools: readonly ToolDefinition[] | undefined): Action[];
  formatResults(results: readonly ToolResult[], options: { locale: Locale; maxChars: number }): string;
  /** Explains mistakes. `source`: the text that was parsed, when this protocol's parser did it. */
  explain(
    result: ParseResult<Block>,
    options: { locale: Locale; mode: ProtocolMode; source?: string | undefined },
  ): string | undefined;
  /** How a model would have written actions. */
  write: ActionWriter;
}

/**
 * Creates a protocol made of its parts. Its parsers remember their texts and tools, so that explanations can show lines, and blocks
 * be bound. Throws `TypeError` for unknown options, and when the prompt teaches another protocol.
 */
export function createTextProtocol<Block extends BlockBase>(
  options: TextProtocolOptions,
  parts: TextProtocolParts<Block>,
): ToolProtocol<Block> {
  const { id, version, stop, carries, ownPrompt, options: own = [] } = parts;
  const name = `${id.replace(/-.*/, "")}Protocol`;
  checkKeys<TextProtocolOptions, string>(
    name,
    options,
    ['prompt:object locale:"zh"|"en" mode:"single"|"loop" maxResultChars:number', ...own],
    ["prompt"],
  );
  const { prompt, locale = "en", mode = "loop", maxResultChars: maxChars = 16_000 } = options;
  if (prompt?.forProtocol !== version) {
    throw new TypeError(
      `${name}: the prompt teaches ${JSON.stringify(prompt?.forProtocol)}, not "${version}": pass ${ownPrompt}.`,
    );
  }
  const formatWithin =
    (most: number) =>
    (results: readonly ToolResult[]): string =>
      parts.formatResults(results, { locale, maxChars: most });
  const formatResults = formatWithin(maxChars);
  const read = (text: string, tools: readonly ToolDefinition[]) => {
    const parser = parts.createParser({ tools, maxInputLength: text.length });
    parser.feed(text);
    const { blocks, diagnostics } = parser.end();
    const odd = blocks.find(({ status }) => status !== "complete");
    const finding = diagnostics[0]?.message ?? (odd && `it would be ${odd.status}.`);
    return { finding, actions: blocks.flatMap((block) => parts.actions(block, tools)) };
  };
  const format = (actions: readonly Action[], how: FormatActionsOptions = {}): string => {
    checkKeys("formatActions", how, "tools:object[] text:string lossy:boolean");
    return formatActions(actions, { tools: declared, ...how }, { id, write: parts.write, read });
  };
  const encodeCalls = (calls: readonly ToolCall[]): string =>
    format([{ kind: "calls", calls: [...calls], span: { start: 0, end: 0 } }], { lossy: true });
  const encodeMessages = (messages: readonly Message[], how: EncodeOptions = {}): Message[] => {
    checkKeys("encodeMessages", how, "isFitted:boolean");
    const results = how.isFitted ? formatWithin(Infinity) : formatResults;
    return encodeAsText(messages, { calls: encodeCalls, results });
  };
  const sources = new WeakMap<ParseResult<Block>, string>();
  const toolsOf = new WeakMap<Block, readonly ToolDefinition[]>();
  let declared: readonly ToolDefinition[] = [];
  const renderTools = (tools: readonly ToolDefinition[], rendering: { locale?: Locale } = {}): string => {
    checkKeys("renderTools", rendering, 'locale:"zh"|"en"');
    declared = tools;
    return parts.renderTools(tools, { locale: rendering.locale ?? locale });
  };
  return {
    id,
    version,
    stop,
    carries,
    renderTools,
    instructions: (tools, how) => prompt.build({ toolsText: renderTools(tools, { locale: how.locale }), ...how }),
    createParser(parsing) {
      const { tools, onEvent } = parsing;
      checkKeys("createParser", { onEvent }, "onEvent:function");
      declared = tools ?? declared;
      const parser = parts.createParser({
        ...parsing,
        onEvent(event) {
          if (event.phase === "block-end" && tools) toolsOf.set(event.block, tools);
          onEvent?.(event);
        },
      });
      let text = "";
      return {
        feed(chunk) {
          parser.feed(chunk);
          text += chunk;
        },
        end(ending) {
          const result = parser.end(ending);
          sources.set(result, text);
          return result;
        },
        reset() {
          parser.reset();
          text = "";
        },
      };
    },
    actions: (block) => parts.actions(block, toolsOf.get(block)),
    formatActions: format,
    formatResults,
    explain: (result) => parts.explain(result, { locale, mode, source: sources.get(result) }),
    encodeMessages,
    encodeMessage: (message, how) => encodeMessages([message], how),
    ...(options.maxResultChars !== undefined && { maxResultChars: options.maxResultChars }),
  };
}
