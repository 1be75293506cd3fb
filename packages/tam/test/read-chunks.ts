import type { EndOptions, ParseResult } from "@toolglot/core";
import { createParser, type TamBlock, type TamEvent, type TamParserOptions } from "../src/index.ts";

/** A block around lines of fields. */
export function blockOfLines(...lines: string[]): string {
  return ["<|[REQUEST_TOOL]|>", ...lines, "<|[END_TOOL]|>", ""].join("\n");
}

/** What a parser gave for a text in chunks: deltas of one field that follow each other are joined. */
export function readChunks(
  chunks: readonly string[],
  options: TamParserOptions = {},
  end?: EndOptions,
): { result: ParseResult<TamBlock>; events: TamEvent[] } {
  const events: TamEvent[] = [];
  const parser = createParser({
    ...options,
    onEvent: (event) => {
      const last = events.at(-1);
      if (last && "text" in last && "text" in event && nameOf(last) === nameOf(event))
        events[events.length - 1] = { ...last, text: last.text + event.text };
      else events.push(event);
    },
  });
  for (const chunk of chunks) parser.feed(chunk);
  return { result: parser.end(end), events };
}

/** Deltas with the same name are pieces of one text; comments and steps are never pieces. */
function nameOf(event: TamEvent): unknown {
  if (event.type === "param-delta") return `field ${event.field}`;
  return event.type.endsWith("-delta") ? event.type : event;
}

/** Bodies that a careless parser cuts, each of which may stand between delimiters as it is. */
export const bodies: Record<string, string> = {
  heredoc: 'cat <<EOF > out\nhi\nEOF\ncat <<< "$v" >> log',
  "git conflict": "a\n<<<<<<< HEAD\nours\n=======\ntheirs\n>>>>>>> branch\nb",
  "Python prompts": ">>> x = 1\n>>> y\nExample: >>> f(1)\n1",
  "French quotes": "Il dit « bonjour » et «oui».",
  "TAM documentation":
    "# How\n\n<|[REQUEST_TOOL]|>\ncommand:»»»File.Write«««\npath:»»»/x«««\n<|[END_TOOL]|>\n\nUse key:»»»value««« lines.",
  "end marker": "Write\n<|[END_TOOL]|>\nat the end.",
  "closers within lines": "a «««quoted««« b",
  "closers on lines": "first\n«««\nplain\nlast",
  HTML: '<div class="a"><b>x</b></div>\n<!-- <|[END_TOOL]|> -->',
  ATTP: "thought = '''\nx\n'''\n[tool_call]\nstatus = \"success\"",
  ToolsXML: "<tools>\n<write_file><path>x</path></write_file>\n</tools>",
  "C++": "std::vector<std::vector<int>> v; cout << x << endl;\na <<= 2; b >>= 3;",
  fence: "```js\nf()\n```\ntext",
  reasoning: "<think>\nno\n</think>",
  "headings and pairs": "# title\nkey: value\nother = 3\n- item: x",
  titles: "《红楼梦》与《西游记》",
  emoji: "😀 ok \u{1f468}\u200d\u{1f469}",
};
