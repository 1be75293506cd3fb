import * as attp from "@toolglot/attp";
import type { BlockBase, ParseOptions, ParseResult, Parser, ProtocolEvent } from "@toolglot/core";
import * as dialects from "@toolglot/dialects";
import * as tam from "@toolglot/tam";
import * as toolsxml from "@toolglot/toolsxml";
import { UsageError } from "../cli/usage-error.ts";

/** A parser as the command needs it, whatever its blocks are. */
export interface Reader {
  createParser(options: ParseOptions & { onEvent: (event: ProtocolEvent) => void }): Parser<BlockBase>;
  explain(result: ParseResult<BlockBase>, options: { source: string; locale: "zh" | "en" }): string | undefined;
}

/** The parsers of the protocols that are text. */
const readers: Readonly<Record<string, Reader>> = {
  attp: attp as unknown as Reader,
  "attp-js": {
    createParser: (options) => attp.createParser({ ...options, language: "javascript" }),
    explain: (result, options) =>
      attp.explain(result as ParseResult<attp.AttpDocument>, { ...options, language: "javascript" }),
  },
  tam: tam as unknown as Reader,
  toolsxml: toolsxml as unknown as Reader,
};

/** What can be read, for people. */
export const readerNames: readonly string[] = [...Object.keys(readers), "auto", "dialect:ID"];

/** Returns the parser of a protocol, or of a dialect: `auto` is any of them. Throws `UsageError` for what is not there. */
export function readerOf(name: string): Reader {
  const own = Object.hasOwn(readers, name) ? readers[name] : undefined;
  if (own) return own;
  const id = name === "auto" ? name : /^dialect:(.+)$/.exec(name)?.[1];
  if (id === undefined) throw new UsageError(`--protocol ${name}: there are ${readerNames.join(", ")}.`);
  const dialect = id as dialects.DialectId | "auto";
  const createParser: Reader["createParser"] = ({ onEvent, ...options }) =>
    dialects.createParser({ ...(options as dialects.DialectParserOptions), dialect, onEvent });
  try {
    dialects.createParser({ dialect });
  } catch (error) {
    throw new UsageError(`--protocol ${name}: ${(error as Error).message.replace(/^\w+: /, "")}`);
  }
  return { createParser, explain: dialects.explain as unknown as Reader["explain"] };
}
