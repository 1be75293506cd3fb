import type { EndOptions, ParseResult } from "@toolglot/core";
import type { AttpEvent, AttpParserOptions } from "../src/index.ts";
import { createParser } from "../src/index.ts";
import type { AttpDocument } from "../src/types.ts";

/** A document around code, as the protocol's template has it. */
export function documentOf(code: string, { open = "'''\n", close = "'''", fence = "" } = {}): string {
  const text = `thought = "t"\n[tool_call]\nstatus = "success"\ntarget = "a"\ncode = ${open}${code}${close}\n`;
  return fence === "" ? text : `${fence}toml\n${text}${fence}\n`;
}

/** What a parser gave for a text in chunks: deltas that follow each other are joined. */
export function readChunks(
  chunks: readonly string[],
  options: AttpParserOptions = {},
  end?: EndOptions,
  makeParser: typeof createParser = createParser,
): { result: ParseResult<AttpDocument>; events: AttpEvent[] } {
  const events: AttpEvent[] = [];
  const parser = makeParser({
    ...options,
    onEvent: (event) => {
      const last = events.at(-1);
      if ("text" in event && last && "text" in last && last.type === event.type && event.type.endsWith("-delta"))
        events[events.length - 1] = { ...last, text: last.text + event.text };
      else events.push(event);
    },
  });
  for (const chunk of chunks) parser.feed(chunk);
  return { result: parser.end(end), events };
}

/** What a document says, for comparison: without place and status. */
export function essence({ thought, toolCall, extra }: AttpDocument): unknown {
  return { thought, toolCall: { ...toolCall, rawCode: undefined }, extra };
}
