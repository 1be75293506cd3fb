import { checkKeys } from "@toolglot/internal";
import type { BlockBase, EndOptions, ParseOptions, ParseResult, Parser } from "../protocol.ts";
import type { TextProtocol } from "./call-formats.ts";
import type { TextScanner } from "./text-scanner.ts";

/** How many parsers were made, by their samples; and what is kept, and never used. */
const made: Record<string, number> = {};
const kept: unknown[] = [];

/**
 * Creates a push parser over a text scanner, a fresh one for each text. `feed` throws `TypeError` for what is no string; `feed` and
 * `end` throw it after `end`, until `reset`.
 *
 * @param sample A text that ends inside the value of a block. V8 drops compiled code with a full collection while no object of a
 *   kind that it works on is alive, as between two messages. So from the second parser on, two scanners of the sample are kept:
 *   one that waits for more, and one that has ended. Default: none.
 */
export function createPushParser<Block extends BlockBase>(
  makeScanner: (options?: { onEvent?(event: unknown): void }) => TextScanner<Block>,
  sample = "",
): Parser<Block> {
  made[sample] = (made[sample] ?? 0) + 1;
  if (sample && made[sample] === 2)
    for (const ends of [0, 1]) {
      const scanner = makeScanner({ onEvent() {} });
      scanner.feed(sample);
      kept.push(scanner, ends && scanner.end());
    }
  let scanner: TextScanner<Block> | undefined = makeScanner();
  const reading = (what: string): TextScanner<Block> => {
    if (!scanner) throw new TypeError(`${what}() after end(): call reset() to read another text`);
    return scanner;
  };
  return {
    feed(chunk: string): void {
      if (typeof chunk !== "string") throw new TypeError(`feed() takes a string, not ${typeof chunk}`);
      reading("feed").feed(chunk);
    },
    end(options?: EndOptions): ParseResult<Block> {
      const ending = reading("end");
      checkKeys("end", options, 'finish:"calls"|"stop"|"length"|"filter"|"error" stopSequence:string');
      scanner = undefined;
      return ending.end(options);
    },
    reset(): void {
      scanner = makeScanner();
    },
  };
}

/** Whether options allow the repair with a code. */
export function allowsRepair({ strict, repairs }: Pick<ParseOptions, "strict" | "repairs">, code: string): boolean {
  return !strict && repairs !== "none" && (typeof repairs !== "object" || repairs[code] !== false);
}

/** Whether the message did not end by itself, according to the provider. */
export function isCutOff(end: EndOptions | undefined): boolean {
  return /^(?:length|filter|error)$/.test(end?.finish ?? "");
}

/**
 * Throws `TypeError` for parser options that are unknown or can't be meant.
 *
 * @param what What was called, for the message: `createParser`.
 * @param own Options that only this function has, as words of `checkKeys`.
 * @param known A protocol and its repair codes, as keys. Codes of other layers may stand beside them.
 */
export function checkParseOptions(
  what: string,
  options: Pick<ParseOptions, "maxInputLength" | "repairs" | "shown" | "reasoningTags"> & { onEvent?: unknown },
  own: readonly string[] = [],
  known?: { protocol: TextProtocol; repairs: Readonly<Record<string, unknown>> },
): void {
  checkKeys<object, string>(
    what,
    options,
    [
      'strict:boolean maxInputLength:number tools:list reasoning:"skip"|"search" startsInReasoning:boolean shown:"mark"|"run" repairs:"all"|"none"|object reasoningTags:list[]',
      ...own,
    ],
    [],
    { repairs: 'Codes are given as { "core/x": false }.' },
  );
  const { maxInputLength, repairs, reasoningTags } = options;
  if (maxInputLength !== undefined && !(maxInputLength >= 0))
    throw new TypeError(`maxInputLength is a number of UTF-16 units, not ${maxInputLength}`);
  const isPair = (pair: unknown): boolean =>
    Array.isArray(pair) &&
    pair.length === 2 &&
    pair.every((text) => typeof text === "string" && /^\S[^\n]*$/.test(text));
  if (reasoningTags && !reasoningTags.every(isPair))
    throw new TypeError('reasoningTags is a list of pairs such as ["<notes>", "</notes>"]');
  if (known && typeof repairs === "object")
    for (const code of Object.keys(repairs))
      if (code.startsWith(`${known.protocol}/`))
        checkKeys<object, string>(`${what}: repairs`, { [code]: 1 }, Object.keys(known.repairs));
}
