import * as attp from "@toolglot/attp";
import type { BlockBase, ParseOptions, ParseResult, Parser, ProtocolEvent } from "@toolglot/core";
import * as tam from "@toolglot/tam";
import * as toolsxml from "@toolglot/toolsxml";

/** A parser as the command needs it, whatever its blocks are. */
export interface Reader {
  createParser(options: ParseOptions & { onEvent: (event: ProtocolEvent) => void }): Parser<BlockBase>;
  explain(result: ParseResult<BlockBase>, options: { source: string; locale: "zh" | "en" }): string | undefined;
}

/** The protocols that are text. */
export const protocolNames = ["attp", "attp-js", "tam", "toolsxml"] as const;

/** The parser of each. */
export const readers: Record<(typeof protocolNames)[number], Reader> = {
  attp: attp as unknown as Reader,
  "attp-js": {
    createParser: (options) => attp.createParser({ ...options, language: "javascript" }),
    explain: (result, options) =>
      attp.explain(result as ParseResult<attp.AttpDocument>, { ...options, language: "javascript" }),
  },
  tam: tam as unknown as Reader,
  toolsxml: toolsxml as unknown as Reader,
};
