import { asPattern, matchAt } from "@toolglot/internal";
import { NextMark } from "./source.ts";

/** A pair of texts that reasoning stands between. */
export interface ReasoningPair {
  open: string;
  /** What is left of it where the prompt holds its beginning: it counts at the start of a line. */
  begun?: string;
  /** The first one that comes ends it. */
  close: readonly string[];
  /** What closes it ends other things too: alone it is no evidence. */
  shared?: true;
}

/**
 * How families of models mark reasoning, besides elements ({@link reasoningName}): Mistral, Kimi-VL, Cohere, OpenThinker, Apertus,
 * harmony, Gemma, MedGemma, Inkling, Kimi K3, Hunyuan and others.
 */
export const reasoningPairs: readonly ReasoningPair[] = [
  { open: "[THINK]", close: ["[/THINK]"] },
  { open: "[THINKING]", close: ["[/THINKING]"] },
  { open: "◁think▷", close: ["◁/think▷"] },
  { open: "<|START_THINKING|>", close: ["<|END_THINKING|>"] },
  { open: "<|begin_of_thought|>", close: ["<|end_of_thought|>"] },
  { open: "<|think|>", close: ["<|/think|>"] },
  { open: "<|thinking|>", close: ["<|/thinking|>"] },
  { open: "<|inner_prefix|>", close: ["<|inner_suffix|>"] },
  {
    open: "<|channel|>analysis<|message|>",
    close: ["<|end|>", "<|channel|>final", "<|channel|>commentary", "<|start|>"],
    shared: true,
  },
  { open: "<|channel>thought", close: ["<channel|>"], shared: true },
  { open: "<unused94>", close: ["<unused95>"] },
  { open: "<|content_thinking|>", close: ["<|content_text|>", "<|end_message|>"], shared: true },
  {
    open: "<|start|>assistant to=self<|message|>",
    begun: "to=self<|message|>",
    close: ["<|eom|>", "<|eot|>"],
    shared: true,
  },
  { open: "<|open|>think<|sep|>", close: ["<|close|>think<|sep|>"] },
];

/** The texts of the table, as a pattern; those that end other things too are left out. */
export const reasoningTexts: string = reasoningPairs
  .flatMap(({ open, begun = open, close, shared }) => [open, begun, ...(shared ? [] : close)])
  .map(asPattern)
  .join("|");

/** What no text speaks of but in reasoning: its tags count anywhere. */
const thinking = "think(?:ing)?|thought";
/** The names of elements that hold reasoning, as a pattern. Those of other words count at the start of a line. */
export const reasoningName: string =
  `(?:[a-z]{1,20}[:_|-]){0,2}(?:ant)?(?:think(?:ing)?|thoughts?|reason(?:ing)?|reflections?|scratch_?pad|analysis|monologue` +
  `|deliberation|rationale|cot)(?:[:_](?:fast|faster|\\w{0,20}source)|:\\w{1,16})?`;

const tag = new RegExp(`<(/?)(${reasoningName})(?:[^\\S\\n][^<>\\n]{0,200})?(>|$)`, "iy");
const begunTag = /^<\/?(?:[a-z][\w:|-]{0,60})?$/i;
const always = new RegExp(`^(?:${thinking})$`, "i");

/** A mark of reasoning in a text. */
export interface ReasoningMark {
  length: number;
  opens: boolean;
  /** What closes it is of the same kind. */
  kind: string;
  /** Without a partner it has no meaning. */
  needsPartner: boolean;
}

/** Finds the marks of reasoning: those of the table, and pairs of one's own. */
export class ReasoningMarks {
  readonly #texts = new Map<string, { kind: string; opens: boolean; needsPartner: boolean }>();
  readonly #longest: number;
  readonly #pattern: RegExp;
  /** Second units of the marks that begin with `<` and are no elements. */
  readonly #seconds: string;
  /** First units of the marks that don't begin with `<`. */
  readonly firsts: string;

  constructor(own: readonly (readonly [open: string, close: string])[] = []) {
    const pairs = [...reasoningPairs, ...own.map(([open, close]): ReasoningPair => ({ open, close: [close] }))];
    for (const { open, begun, close, shared = false } of pairs) {
      const kind = open.toLowerCase();
      for (const text of close) this.#texts.set(text.toLowerCase(), { kind, opens: false, needsPartner: shared });
      for (const text of [kind, begun]) if (text) this.#texts.set(text, { kind, opens: true, needsPartner: false });
    }
    const texts = [...this.#texts.keys()].sort((a, b) => b.length - a.length);
    this.#longest = texts[0]?.length ?? 0;
    this.#pattern = new RegExp(texts.map(asPattern).join("|"), "iy");
    this.#seconds = texts.map((text) => (text.startsWith("<") ? text.charAt(1) : "")).join("");
    this.firsts = texts.map((text) => (text.startsWith("<") ? "" : text.charAt(0))).join("");
  }

  /**
   * Returns the mark at an index; `"more"` when only more text decides.
   *
   * @param ended The line is complete.
   * @param begins Only white space stands before it on its line.
   */
  at(text: string, at: number, ended: boolean, begins: boolean): ReasoningMark | "more" | undefined {
    const isTag = text.charCodeAt(at) === 60;
    if (!isTag || this.#seconds.includes(text.charAt(at + 1).toLowerCase())) {
      const found = matchAt(this.#pattern, text, at)?.[0];
      const mark = found && this.#texts.get(found.toLowerCase());
      if (mark) return { length: found.length, ...mark };
    }
    const match = matchAt(tag, text, at);
    if (match?.[3]) {
      const [all, slash, name = ""] = match;
      const isSure = always.test(name);
      if (slash || isSure || begins)
        return {
          length: all.length,
          opens: !slash,
          kind: isSure ? "" : name.toLowerCase(),
          needsPartner: !isSure && !begins,
        };
      return undefined;
    }
    if (ended || text.length - at > 300) return undefined;
    if (match) return "more";
    const rest = text.slice(at, at + Math.max(64, this.#longest)).toLowerCase();
    if (rest.length < this.#longest) for (const known of this.#texts.keys()) if (known.startsWith(rest)) return "more";
    return rest.length < 64 && begunTag.test(rest) ? "more" : undefined;
  }

  /** Returns first units of what closes reasoning of a kind, of any if it is unknown, but `<`. */
  closerHeads(kind: string | undefined): string[] {
    const heads = new Set<string>();
    for (const [text, mark] of this.#texts)
      if ((kind === undefined || mark.kind === kind) && !text.startsWith("<")) heads.add(text.charAt(0));
    return [...heads];
  }
}

/** The table's marks, which most parsers look for. */
let common: ReasoningMarks | undefined;

/** Pairs of one's own. */
type OwnMarks = readonly (readonly [open: string, close: string])[];

/** Returns what finds reasoning, with pairs of one's own. */
export function reasoningMarks(own?: OwnMarks): ReasoningMarks {
  if (own?.length) return new ReasoningMarks(own);
  common ??= new ReasoningMarks();
  return common;
}

const blank = "[ \\t]{0,9}";
const letters = (word: string): string[] => [...word];
/** What only the host may write, each as the patterns of its signs in order. */
const resultMarkers: readonly (readonly string[])[] = [
  ["\\[{1,2}", blank, "[\"']?", ...letters("tool"), "[_ -]?", ...letters("result"), "s?", "[\"']?", blank, "\\]{1,2}"],
  ["<", blank, "\\|", blank, "\\[", blank, ...letters("TOOL_RESULT"), blank, "\\]", blank, "\\|", blank, ">"],
  ["<", blank, ...letters("results"), "(?=[\\s/>])"],
  ["<", "\\|?", ...letters("tool_response"), "\\|?", ">"],
  letters("<function_results>"),
  ["<", "[｜|]", ...letters("tool"), "[▁_]", ...letters("output"), "s?", "[▁_]", ...letters("begin"), "[｜|]", ">"],
];
const anyOf = (patterns: readonly string[]): RegExp => new RegExp(`^(?:${patterns.join("|")})`, "i");
const result = anyOf(resultMarkers.map((signs) => signs.join("")));
/** A line that ends in one of them, or right behind it. */
const resultStart = anyOf(resultMarkers.map((signs) => signs.reduceRight((rest, sign) => `(?:$|${sign}${rest})`, "$")));

/**
 * Returns the length of the result marker that a line begins with, its white space apart: what only the host may write, in any format.
 * `undefined` for none, `"more"` when only the rest of the line decides.
 */
export function resultMarker(line: string, isComplete: boolean): number | "more" | undefined {
  return !isComplete && resultStart.test(line) ? "more" : result.exec(line)?.[0].length;
}

const role = "(?:user|human|prompter|system|developer|assistant|chatbot|tools?|ipython|observation|environment)";
/**
 * What a chat template begins a turn with, in all families: a special token that is a role, or is followed by one; and the brackets
 * of Llama 2 and Mistral. A message of harmony may begin within the assistant's own turn.
 */
export const turnToken: RegExp = new RegExp(
  `<[|｜]{1,2}(?:(?:im|message)[_▁ -])?${role}(?:[_▁ -]token)?[|｜]{1,2}>|\\[\\|(?:${role}|ai)\\|\\]|<用户>` +
    // What ends a turn, and the name of whose is next: Vicuna, OpenChat. A round of ChatGLM.
    `|(?:</s>|<[|｜][^<>\\n|｜]{0,20}(?:end|eo)[^<>\\n|｜]{0,20}[|｜]>)[ \\t]?(?:\\w{1,10} ){0,2}${role}[:：]|\\[Round \\d{1,3}\\](?=\\s{1,3}问[:：]|$)` +
    `|<[|｜]?(?:im_start|start_of_turn|start_header_id|header_start|start_of_role|turn|from)[|｜]?>\\s?(?:${role}|model|gpt|function)\\b` +
    `|<\\|start\\|>(?!assistant)(?:${role}|functions?\\.)` +
    "|<(?:reserved_106|extra_id_1)>|<\\|START_OF_TURN_TOKEN\\|>|\\[INST\\]|<<SYS>>|\\[(?:SYSTEM_PROMPT|AVAILABLE_TOOLS)\\]",
  "gi",
);

const users =
  "human|user|you|me|customer|q|用户|使用者|人类|用戶|你|我|客户|问|ユーザー|사용자|benutzer|du|utilisateur|vous|usuario|usuário|utente|пользователь|вы|(?<=###? {0,3})instruction";
const assistants =
  "assistant|ai|助手|助理|模型|アシスタント|어시스턴트|assistent|asistente|ассистент|(?<=###? {0,3})response";
const speakers = "system|tools?|functions?|observation|系统|工具|观察";
const results = "(?:tool |function )?(?:result|output|response)s?|(?:工具)?(?:结果|输出)";
/**
 * The same in plain words, at the start of a line, in any form: nothing but signs and times stand before the word, and behind it signs,
 * a time or a verb of saying, until a colon, a bracket that closes or the end of a line of signs. Signs of lists, quotations and
 * tables begin no turn. Groups: the user's label, the assistant's, that of another one, a result's.
 */
export const turnLabel: RegExp = /* @__PURE__ */ (() =>
  new RegExp(
    `^(?![ \\t]*(?:[-+*•>|\`]|\\d{1,3}[.)])[ \\t])(?<before>[^\\p{L}\\n>|\`]{0,24})(?:(${users})|(a|${assistants})|(${speakers})|(${results}))(?![\\p{L}\\d])` +
      "(?:[ \\t]{0,3}[(\\[][^()[\\]\\n]{1,20}[)\\]])?(?:[ \\t](?:said|says|wrote|writes|asked|replied))?" +
      "[ \\t*_\\]】]{0,5}(?:[:：][ \\t*_]{0,5}|(?<=[\\[【][^\\p{L}\\n]{0,5}\\p{L}{1,20}[\\]】])|(?<=^[^\\p{L}\\n]{0,20}<\\p{L}{1,20})>[ \\t]|(?<=[#=~-][^\\n]{1,40})[#=~\\- \\t]{0,20}$)",
    "gimu",
  ))();

/** The marks of reasoning in a text that is scanned: those that open some, or close what is open. */
export class OpenReasoning {
  readonly #marks: ReasoningMarks;
  /** Lookahead for what closes the reasoning that is open, where it doesn't begin with `<`. */
  #heads: readonly NextMark[] = [];
  /** What closes the reasoning that is open; unknown where the prompt opened it. */
  #kind: string | undefined;

  constructor(reasoningTags: OwnMarks | undefined, startsInReasoning: boolean) {
    this.#marks = reasoningMarks(reasoningTags);
    if (startsInReasoning) this.open(undefined);
  }

  open(kind: string | undefined): void {
    this.#kind = kind;
    this.#heads = this.#marks.closerHeads(kind).map((head) => new NextMark(head));
  }

  close(): void {
    this.#heads = [];
  }

  /** Whether a mark that may stand at the start of a line begins with a unit. */
  mayBegin(unit: string | undefined): boolean {
    return unit !== undefined && this.#marks.firsts.includes(unit);
  }

  /**
   * Returns the mark at an index that opens or closes something: within reasoning only marks of its kind do. Else as {@link
   * ReasoningMarks.at}.
   */
  at(text: string, at: number, ended: boolean, begins: boolean, depth: number): ReasoningMark | "more" | undefined {
    const mark = this.#marks.at(text, at, ended, begins);
    if (!mark || mark === "more") return mark;
    const counts =
      depth === 0 ? mark.opens || !mark.needsPartner : this.#kind === undefined || mark.kind === this.#kind;
    return counts ? mark : undefined;
  }

  /** Returns the place of the next closer that doesn't begin with `<`, if it comes before another place. */
  nextBefore(other: number, text: string, at: number): number {
    let next = other;
    for (const head of this.#heads) next = Math.min(next, head.find(text, at));
    return next;
  }
}
