import {
  asKey,
  asTag,
  type BlockGrammar,
  type BlockReader,
  type Fence,
  type LineProbe,
  type ProbeAnswer,
  sentIn,
  type Trace,
} from "@toolglot/core/text";
import { matchAt } from "@toolglot/internal";
import type { AttpDocument } from "../types.ts";
import type { ReaderOptions } from "./entry.ts";
import { readKey } from "./key-line.ts";
import { readLineValue } from "./line-value.ts";
import { documentStart, keyPattern, toolCallName, unfinishedKey } from "./patterns.ts";

/** What a grammar needs to make its readers. */
export interface GrammarOptions {
  allows: ReaderOptions["allows"];
  toml(start: number, fence: Fence | undefined, indent: number): BlockReader<AttpDocument>;
  json(start: number, fence: Fence | undefined): BlockReader<AttpDocument>;
}

const table =
  /^\s*[[\uff3b]{1,2}[ \t]*["']?tool[-_]?calls?["']?[ \t]*[\]\uff3d]{1,2}[ \t]*(?:#[^\n]*|\/\/[^\n]*)?\r?$/i;
/** What only the host writes. */
const result = /^\s*[[\uff3b]{1,2}[ \t]*["']?tool[-_ ]?results?["']?[ \t]*[\]\uff3d]{1,2}/i;
/** How a line may begin that is still to become one of them. Groups: the parts of a word. */
const bracket = /^\s*[[\uff3b]{1,2}[ \t]*["']?([a-z]*)[-_ ]?([a-z]*)["']?[ \t]*(?:[\]\uff3d][^\n]*)?$/i;
const status = /^["'“‘]?(?:success|fail)(?:["'”’][ \t]*(?:#[^\n]*|\/\/[^\n]*)?)?\r?$/i;
const stringOpener = /^["'“”‘’]/;
const multiLine = /^(?:'''|"""|[‘’]{3}|[“”]{3}|`{3})/;
const jsonKey = /^\s*\{?\s*"(?:thought|tool_call)"\s*:|^\s*\{?\s*"status"\s*:\s*"(?:success|fail)"/;
const unfinishedJson = /^\s*\{?\s*(?:"[a-z_]{0,16}(?:"\s*(?::\s*(?:"[a-z]{0,8})?)?)?)?$/;

/** `status` and `code` are words of many formats: with the table or a thought they are a document. */
const traces: readonly Trace[] = [
  [/(?:^[^\p{L}\n<]{0,20}|\s)[[{(<【［]\s{0,4}(tool[-_ ]?call)\s{0,4}[\])}>】］]/giu, 4],
  [asTag("tool[-_ ]?call"), 4],
  [asKey("tool[-_ ]?call"), 4],
  [asKey("(?:tool[-_ ]?call\\.)?(?:thought|code)"), 3],
  [asTag("thought"), 3],
  [asKey("(?:tool[-_ ]?call\\.)?(?:status|target)"), 2],
  [asTag("status|target|code"), 2],
  // What its programs end with, and what is left of a document that was cut.
  [/^[^\p{L}\p{N}\n]{0,6}(__result__)\s{0,9}=(?!=)/gu, 7],
  [/^[^\p{L}\p{N}\n']{0,6}(''')\s*$/gu, 6],
];

/** Where ATTP documents begin. */
export class AttpGrammar implements BlockGrammar<AttpDocument> {
  readonly protocol = "attp";
  readonly blockName = "document";
  readonly begins: RegExp = documentStart;
  readonly midLine: RegExp = /thought(?<=\S[^\n]{0,200}\bthought)[ \t]{0,9}=[ \t]{0,9}["'“‘][^\n]*\n$/;
  readonly traces: readonly Trace[] = traces;
  readonly marks: RegExp = /tool\\*_call|'''/;
  readonly #options: GrammarOptions;
  /** The first document is fenced: later ones without a fence are text. */
  #fencedOnly: boolean | undefined;
  /** Offset of the fence that a result opens: all of it is text. */
  #resultFence = -1;
  /** The fence that was entered last, and the offset of the first line in it that is no comment. */
  #firstOf = { fence: -1, offset: -1 };
  /** A result began within this fence, or outside of fences (-1): keys are its own until a document begins for sure. */
  #inResult: number | undefined;
  /** Offset of the last line that was held because JSON may begin with it. */
  #braceAt = -1;

  constructor(options: GrammarOptions) {
    this.#options = options;
  }

  /** Documents without a fence are text here. */
  get leavesBare(): boolean {
    return this.#fencedOnly === true;
  }

  line(probe: LineProbe, ended: boolean): ProbeAnswer<AttpDocument> {
    const { text, at, end, fence } = probe;
    if (fence?.start === this.#resultFence) return "no";
    if (!fence && this.#fencedOnly) return "no";
    const line = text.slice(at, end < 0 ? undefined : end);
    const complete = end >= 0 || ended;
    const first = line.trimStart().charAt(0);
    if (fence && fence.start !== this.#firstOf.fence && first !== "#")
      this.#firstOf = { fence: fence.start, offset: probe.offset };
    if (first === "{" || (first === '"' && probe.blockStart < probe.offset)) {
      const answer = this.#json(probe, line, complete);
      if (answer) return answer;
    }
    if (first === "[" || first === "\uff3b") {
      if (result.test(line)) {
        this.#inResult = fence?.start ?? -1;
        if (fence && this.#firstOf.offset === probe.offset) this.#resultFence = fence.start;
        return "no";
      }
      if (complete && table.test(line)) return this.#toml(probe);
      const [, word = "-", rest = ""] = complete ? [] : (bracket.exec(line) ?? []);
      if ("<toolcalls<toolresults".includes(`<${word}${rest}`.toLowerCase())) return "more";
      return this.#holds(probe) ? (complete ? "hold" : "more") : "no";
    }
    if (first === "#") return this.#holds(probe) ? (complete ? "hold" : "more") : "no";
    const match = matchAt(keyPattern, text, at);
    if (!match || (end >= 0 && keyPattern.lastIndex > end)) {
      if (complete) return "no";
      return unfinishedKey.test(line) ? "more" : "no";
    }
    const value = text.slice(keyPattern.lastIndex, end < 0 ? undefined : end);
    return this.#key(probe, match[1] ?? "", match[2] ?? "", value, complete);
  }

  #key(probe: LineProbe, key: string, delimiter: string, value: string, complete: boolean): ProbeAnswer<AttpDocument> {
    const [name, inner] = /^\w+$/.test(key) ? [key] : key.replace(/["' \t]/g, "").split(".");
    if (this.#inResult === (probe.fence?.start ?? -1) && name !== "thought") return complete ? "no" : "more";
    const field = inner !== undefined && toolCallName(name ?? "") ? inner : inner === undefined ? name : undefined;
    const colon = delimiter === ":" || delimiter === "：";
    const known = field !== undefined && /^(?:thought|status|target|code|message)$/.test(field);
    if (colon && !known) return "no";
    const strong = probe.fence === undefined || sentIn.test(probe.fence.info);
    if (field === "thought" || (strong && field === "code")) {
      const opener = field === "thought" && (!colon || probe.fence) ? stringOpener : multiLine;
      if (opener.test(value)) return this.#toml(probe);
      if (!complete && value.length < 3) return "more";
    } else if (strong && field === "status" && (!colon || probe.fence)) {
      if (!complete && value.length < 24) return "more";
      if (status.test(value.trimEnd()) || /^["'](?:success|fail)["'][ \t]*[#/]/i.test(value)) return this.#toml(probe);
    } else if (toolCallName(name ?? "") && inner === undefined && value.startsWith("{")) return this.#toml(probe);
    if (!complete) return "more";
    // Keys directly above a document belong to it.
    // A colon makes a key only of a word the protocol knows, and before a string.
    if (value === "" || (colon && !stringOpener.test(value))) return "no";
    return probe.fence !== undefined || isTomlLine(probe, value) ? "hold" : "no";
  }

  /** Whether tables and comments before the document belong to it: in a fence for data. */
  #holds({ fence, firstInFence }: LineProbe): boolean {
    return fence !== undefined && firstInFence && /^(?:toml|attp)?/.test(fence.info);
  }

  #json(probe: LineProbe, line: string, complete: boolean): ProbeAnswer<AttpDocument> | undefined {
    if (!this.#options.allows("json-document")) return undefined;
    if (jsonKey.test(line)) {
      this.#fencedOnly ??= probe.fence !== undefined;
      const start = probe.blockStart;
      return this.#options.json(start < probe.offset ? start : start + line.search(/\S/), probe.fence);
    }
    if (!unfinishedJson.test(line)) return undefined;
    if (!complete) return "more";
    if (!/^\s*\{\s*$/.test(line)) return undefined;
    this.#braceAt = probe.offset;
    return "hold";
  }

  #toml(probe: LineProbe): BlockReader<AttpDocument> {
    this.#inResult = undefined;
    const { fence } = probe;
    // One that a fence only shows decides nothing.
    if (!fence || (probe.firstInFence && sentIn.test(fence.info))) this.#fencedOnly ??= fence !== undefined;
    const line = probe.text.slice(probe.at, probe.at + 200);
    const indent = /^[ \t]*/.exec(line)?.[0].length ?? 0;
    const removed = fence && this.#options.allows("indented") ? Math.min(fence.indent.length, indent) : 0;
    return this.#options.toml(probe.blockStart <= this.#braceAt ? probe.offset : probe.blockStart, fence, removed);
  }
}

/** Whether a document that begins with this line reads it: else it would end before it began. */
function isTomlLine({ text, at, offset }: LineProbe, value: string): boolean {
  const entry = readKey(text, at, offset - at, { table: 0, inCall: false });
  return entry !== undefined && readLineValue(entry, value.trimEnd(), false) !== undefined;
}
