import { isRunnable, type ParseResult, type Parser } from "@toolglot/core";
import { checkParseOptions, createPushParser, TextScanner } from "@toolglot/core/text";
import { checkKeys, type KnownKeys } from "@toolglot/internal";
import { diagnostic } from "./diagnostics.ts";
import { BlockBuilder } from "./fields/block-builder.ts";
import { TamGrammar } from "./scan/grammar.ts";
import { findLostCalls } from "./scan/lost-calls.ts";
import type { TamBlock, TamEvent, TamParseOptions, TamParserOptions } from "./types.ts";

/** The options of everything that reads. */
export const parseKeys: KnownKeys<TamParseOptions> = {
  strict: true,
  maxInputLength: true,
  tools: true,
  reasoning: true,
  startsInReasoning: true,
  repairs: true,
};

/**
 * Reads all blocks of a whole text. Total: whatever a model wrote gives a result, with diagnostics.
 * Throws `TypeError` when `text` is no string, and for options that can't be meant.
 */
export function parse(text: string, options: TamParseOptions = {}): ParseResult<TamBlock> {
  checkKeys<TamParseOptions>("parse", options, parseKeys);
  const parser = createParser(options);
  parser.feed(text);
  return parser.end();
}

/**
 * A push parser: `feed` text as it comes in, `end` gives what `parse` gives for the whole text, whatever the chunks.
 * `onEvent` is called while text comes in; a delta is given out as soon as no later text can change it.
 * Throws `TypeError` for options that can't be meant.
 */
export function createParser(options: TamParserOptions = {}): Parser<TamBlock> {
  checkKeys<TamParserOptions>("createParser", options, { ...parseKeys, onEvent: true });
  checkParseOptions(options);
  return createPushParser(() => makeScanner(options));
}

function makeScanner(options: TamParserOptions): TextScanner<TamBlock> {
  const { tools, strict, repairs, onEvent } = options;
  const emit = (event: TamEvent): void => onEvent?.(event);
  const allows = (code: string): boolean =>
    !strict && repairs !== "none" && (typeof repairs !== "object" || repairs[code] !== false);
  const scanner: TextScanner<TamBlock> = new TextScanner<TamBlock>({
    ...options,
    grammar: new TamGrammar(() => new BlockBuilder({ tools, allows, emit: onEvent })),
    onText: (text) => emit({ phase: "text", type: "text-delta", text }),
    onReasoning: (text) => emit({ phase: "reasoning", type: "reasoning-delta", text }),
    onBlockStart: (start) => emit({ phase: "block-start", type: "block-start", start }),
    onBlock: (block) => {
      emit({ phase: "block-end", type: "block-end", block });
      for (const finding of block.diagnostics) scanner.diagnose(finding);
    },
    onDiagnostic: (diagnostic) => emit({ phase: "diagnostic", type: "diagnostic", diagnostic }),
    onEnd: ({ segments }) =>
      findLostCalls(segments, ({ start, end }, inDoubt) => {
        const made = diagnostic(inDoubt ? "ambiguous-delimiter" : "unopened-block", start, end);
        const allowed = allows(made.code);
        if (!allowed) made.severity = "error";
        for (const block of inDoubt ?? []) if (isRunnable(block)) block.status = allowed ? "recovered" : "invalid";
        scanner.diagnose(made);
      }),
  });
  return scanner;
}
