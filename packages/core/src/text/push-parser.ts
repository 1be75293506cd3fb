import { checkKeys } from "@toolglot/internal";
import type { BlockBase, EndOptions, ParseOptions, ParseResult, Parser } from "../protocol.ts";
import type { TextProtocol } from "./call-formats.ts";
import type { TextScanner } from "./text-scanner.ts";

/**
 * A push parser over a text scanner, a fresh one for each text. `feed` throws `TypeError` for what is no string; `feed` and
 * `end` throw it after `end`, until `reset`.
 */
export function createPushParser<Block extends BlockBase>(makeScanner: () => TextScanner<Block>): Parser<Block> {
  let scanner: TextScanner<Block> | undefined = makeScanner();
  return {
    feed(chunk: string): void {
      if (typeof chunk !== "string") throw new TypeError(`feed() takes a string, not ${typeof chunk}`);
      if (!scanner) throw new TypeError("feed() after end(): call reset() to read another text");
      scanner.feed(chunk);
    },
    end(options?: EndOptions): ParseResult<Block> {
      if (!scanner) throw new TypeError("end() was called before: call reset() to read another text");
      checkKeys<EndOptions>("end", options, { finish: true, stopSequence: true });
      const result = scanner.end(options);
      scanner = undefined;
      return result;
    },
    reset(): void {
      scanner = makeScanner();
    },
  };
}

/** What `createParser` of a protocol knows of its options, for {@link checkParseOptions}. */
export interface KnownParseOptions {
  protocol: TextProtocol;
  /** An object with all options as keys. */
  options: Readonly<Record<string, unknown>>;
  /** One with the codes of the protocol's own repairs as keys. Codes of other layers may stand beside them. */
  repairs: Readonly<Record<string, unknown>>;
}

/** Throws `TypeError` for parser options that can't be meant; with `known`, for those that the parser does not have, too. */
export function checkParseOptions(
  options: Pick<ParseOptions, "maxInputLength" | "repairs"> & { onEvent?: unknown },
  known?: KnownParseOptions,
): void {
  if (known) checkKeys<object>("createParser", options, known.options);
  const { maxInputLength, repairs, onEvent } = options;
  if (maxInputLength !== undefined && !(maxInputLength >= 0))
    throw new TypeError(`maxInputLength is a number of UTF-16 units, not ${maxInputLength}`);
  if (repairs !== undefined && repairs !== "all" && repairs !== "none" && (typeof repairs !== "object" || !repairs))
    throw new TypeError('repairs is "all", "none", or an object of codes such as { "core/x": false }');
  if (known && typeof repairs === "object")
    for (const code of Object.keys(repairs))
      if (code.startsWith(`${known.protocol}/`))
        checkKeys<object>("createParser: repairs", { [code]: 1 }, known.repairs);
  if (onEvent !== undefined && typeof onEvent !== "function") throw new TypeError("onEvent is a function");
}
