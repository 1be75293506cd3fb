import type { Diagnostic } from "../diagnostic.ts";
import type { BlockBase, ParseResult } from "../protocol.ts";
import type { TextScannerOptions } from "./block-grammar.ts";
import type { FenceRange } from "./code.ts";
import { findForeign } from "./find-foreign.ts";
import type { Segments } from "./segments.ts";
import type { Source } from "./source.ts";

/** Judges a text by what the scanner finds in it: collects the findings, and says of blocks that they must not run. */
export class TextJudge<Block extends BlockBase> {
  readonly #options: TextScannerOptions<Block>;
  readonly #segments: Segments<Block>;
  readonly #found: Diagnostic[] = [];
  /** Offsets of results in fences with no block before them: examples, unless the end shows something else. */
  readonly #examples: [start: number, end: number][] = [];

  constructor(options: TextScannerOptions<Block>, segments: Segments<Block>) {
    this.#options = options;
    this.#segments = segments;
  }

  /** Takes in findings, and emits them. */
  add(found: readonly Diagnostic[] = []): void {
    for (const diagnostic of found) {
      this.#found.push(diagnostic);
      this.#options.onEvent?.({ phase: "diagnostic", type: "diagnostic", diagnostic });
    }
  }

  /** Warns of something that the text layer found itself. It affects no value. */
  warn(code: string, start: number, end: number, message: string, more?: Partial<Diagnostic>): void {
    const span = { start, end };
    this.add([{ code: `core/${code}`, severity: "warning", affects: "none", message, span, source: "core", ...more }]);
  }

  /** A result that only the host may write, and that the model wrote. One that may be an example is judged at the end. */
  result(start: number, end: number, mayBeExample = false): void {
    if (mayBeExample) this.#examples.push([start, end]);
    else
      this.warn("fabricated-result", start, end, "The model wrote a result itself; calls after it are not run.", {
        hint: "Stop after the call, and wait for the result.",
      });
  }

  /** All is read, and given out. */
  end({ length, tooLong, maxLength }: Source, fences: readonly FenceRange[]): ParseResult<Block> {
    const { grammar, tools = [], onEnd } = this.#options;
    const { list: segments, blocks, depth, reasoningStart } = this.#segments;
    if (depth > 0) this.warn("reasoning-unclosed", reasoningStart, length, "The reasoning block is not closed.");
    this.#segments.close(length);
    for (const [format, { start, end }] of findForeign(grammar.protocol, tools, fences, segments))
      this.warn("foreign-format", start, end, `This is ${format}, which is not read here.`);
    if (tooLong) {
      for (const block of blocks) block.status = "invalid";
      const message = `The text is longer than ${maxLength} units; nothing of it is run.`;
      const code = `${grammar.protocol}/input-too-long`;
      this.warn("", length, length, message, { code, severity: "error", affects: "value", source: grammar.protocol });
    }
    const diagnostics = this.#found;
    const result = { segments, blocks, diagnostics };
    onEnd?.(result);
    this.#judgeExamples();
    diagnostics.sort((a, b) => a.span.start - b.span.start || a.span.end - b.span.end);
    return result;
  }

  /** Those that stand behind a call that was lost, or written in another format, are no examples. Blocks behind them are not run. */
  #judgeExamples(): void {
    let first = Infinity;
    for (const { code, severity, span } of this.#found)
      if (severity === "error" || code === "core/foreign-format") first = Math.min(first, span.start);
    for (const [start, end] of this.#examples) {
      if (start < first) continue;
      this.result(start, end);
      for (const block of this.#segments.blocks) if (block.span.start > start) block.afterFabricatedResult = true;
    }
  }
}
