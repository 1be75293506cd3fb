import type { Diagnostic } from "../diagnostic.ts";
import type { BlockBase, EndOptions, ParseOptions, ParseResult, ProtocolEvent, Segment } from "../protocol.ts";
import type { Span } from "../span.ts";
import type { TextProtocol } from "./call-formats.ts";
import type { CallSearch } from "./call-search.ts";
import type { Fence } from "./code.ts";
import type { Source } from "./source.ts";

/** A line of plain text, as a grammar sees it. */
export interface LineProbe {
  /** Text around the line; more may follow after the line. */
  text: string;
  /** Index of the line's first unit in `text`. */
  at: number;
  /** Index of the line's end, without its line break; -1 while the line is not complete. */
  end: number;
  /** Offset of the line in the whole text. */
  offset: number;
  /** The innermost open fence. */
  fence: Fence | undefined;
  /** Nothing but blank and held lines stands between the fence's opening line and this one. */
  firstInFence: boolean;
  /** Nothing but white space and reasoning stands before the line. */
  isFirst: boolean;
  /** Offset where a block begins if one begins here: that of the first held line, else of this line. */
  blockStart: number;
  /** It stands in reasoning. */
  inReasoning: boolean;
}

/** A `<`, or another unit that the grammar asks for, in plain text, as a grammar sees it. */
export interface InlineProbe {
  /** Text around it; more may follow after the line. */
  text: string;
  /** Its index in `text`. */
  at: number;
  /** Its offset in the whole text. */
  offset: number;
  /** The innermost open fence. */
  fence: Fence | undefined;
  /** It stands in reasoning. */
  inReasoning: boolean;
}

/**
 * A grammar's answer about a place. `no`: no block begins here. `more`: only more text decides; the scanner asks again
 * with a longer text. `hold` (lines only): no block begins here, but a following line may begin one that includes this
 * line; held lines are not given out as text until a line gets `no`. A reader: a block begins here, or at the first held line.
 */
export type ProbeAnswer<Block> = "no" | "more" | "hold" | BlockReader<Block>;

/**
 * What a folded line may hold of a block, and how much it weighs; six and more are a block, and seven also where a fence shows other
 * things. The first group names it.
 */
export type Trace = readonly [pattern: RegExp, weight: number];

/** What a protocol adds to the text layer: where its blocks begin, and a reader for each. */
export interface BlockGrammar<Block> {
  /** Its own id; what another text protocol writes is a foreign format to it. */
  protocol: TextProtocol | "native";
  /** Names the events of a block: with `document`, they are `document-start` and `document-end`. Default `block`. */
  readonly blockName?: string;
  /** A line, without its break, that begins a block for sure; for lines that {@link line} is not asked about. */
  readonly begins?: RegExp;
  /** A text that ends with a line in which a block begins behind other text, and that the grammar leaves out. Default: none is. */
  readonly midLine?: RegExp;
  /** How text looks that was meant as a block and lacks its form, in any notation. */
  readonly traces?: readonly Trace[];
  /** A part of its markers, as it is or escaped, that no other text holds. */
  readonly marks?: RegExp;
  /** Tools that need no definition, in lower case. */
  readonly builtIns?: readonly string[];
  /** Whether an element of this name, in lower case, is one of its own. Default: none is. */
  isOwnTag?(name: string): boolean;
  /** Returns where the last call of a block begins, for formats whose blocks hold several. Default: where the block does. */
  lastCall?(block: Block): number | undefined;
  /** Reads the whole text, to its end, and answers with segments: no line is asked about. Default: none. */
  readonly whole?: BlockReader<Block>;
  /** Called at the start of every line of plain text that is not blank, no fence and no result marker. */
  line(probe: LineProbe, ended: boolean): ProbeAnswer<Block>;
  /** Units besides `<` at which {@link inline} is called. Default: none. */
  readonly heads?: string;
  /** A block within a line of text is sent, too. Default: it is shown. */
  readonly sendsInLine?: true;
  /** So many line breaks before a block are layout, and no text. Default 0. */
  readonly breaksBefore?: number;
  /** Finds each call that is not read, also by the names of tools. Default: the first one of other formats, by their marks. */
  readonly search?: CallSearch;
  /** Returns the finding of a call in another format, at the beginning of a text. Default: `core/foreign-format`. */
  foreign?(format: string, span: Span, text: string): Diagnostic;
  /**
   * Called at every `<` in plain text within a line, for protocols whose blocks begin there too. An answer for a place in
   * inline code is not used. `more` may depend on a bounded stretch of text only, since it is asked again at every chunk.
   */
  inline?(probe: InlineProbe, ended: boolean): Exclude<ProbeAnswer<Block>, "hold">;
}

/** Reads one block. Made by a grammar's probe. */
export interface BlockReader<Block> {
  /** Offset where the reader wants to begin; the scanner puts the source there. */
  start: number;
  /** True while the reader can only continue after a line break: until one comes, `read` is not called again. */
  waitsForLine: boolean;
  /** What the event of its beginning tells besides the place. */
  readonly event?: object;
  /** It is not known yet whether anything begins here: a block-start event comes only with a block, and `read` may answer with segments. */
  holds?: true;
  /**
   * Reads on from `source.at`, and moves it past everything that it does not have to read again. `end` is given once, when
   * no more text comes; then the reader must answer. Text that turned out not to belong to the block is given back through
   * `end` of the answer.
   */
  read(source: Source, end?: EndOptions): BlockEnd<Block> | SegmentsEnd<Block> | undefined;
}

/** How a block ended. */
export interface BlockEnd<Block> {
  block: Block;
  /** Findings about the block; they are reported after its end event, bounded. */
  diagnostics?: readonly Diagnostic[];
  /** Offset up to which text belongs to the block, fences and trailing blank lines included. Reading continues there. */
  end: number;
  /** Of a reader that {@link BlockReader.holds}: events of the block, which come behind that of its beginning. */
  events?: readonly ProtocolEvent<Block>[];
  /** The reader has read the closing fence too. Otherwise the scanner adds one that follows directly. */
  closedFence: boolean;
}

/** What a reader that holds has found. It has emitted its events itself. */
export interface SegmentsEnd<Block> {
  /** In order. None: the text is ordinary text, and reading continues where the reader began. */
  segments: Segment<Block>[];
  /** Offset up to which text belongs to them. */
  end: number;
}

/** What a protocol's parser hands to the text layer. */
export interface TextScannerOptions<Block extends BlockBase> extends ParseOptions {
  grammar: BlockGrammar<Block>;
  /** Text, reasoning, blocks and diagnostics; deltas within a block come from its reader. */
  onEvent?(event: ProtocolEvent<Block>): void;
  /** All is read; the last chance to add findings. */
  onEnd?(result: ParseResult<Block>): void;
}
