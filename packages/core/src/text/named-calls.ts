import { asPattern, lineEnd, matchAt, matchesOf } from "@toolglot/internal";
import type { Span } from "../span.ts";

/** A tool, with the names of its parameters where its schema has them. */
export type NamedTool = { name: string; inputSchema?: unknown };

/** Words of which formats of calls are made: they may stand between a tool's name and its arguments, and are no prose. */
const formatWords =
  "arg(?:ument)?s?|param(?:eter)?s?|inputs?|action|name|values?|type|function|object|json|key|kwargs|data|body|payload|call|invoke|tool|sep|begin|start|open|end|id|index|with|of|\\d{1,9}";
/**
 * Marks and such words. The end of a sentence is no mark. What has matched at a place is not tried there in another way (a group that looks
 * ahead, then its text): there would be very many ways.
 */
const item = `(?<=[<｜|/])[\\w.-]{1,20}(?=[:|｜])|(?<![\\p{L}\\p{N}])(?:${formatWords})(?![\\p{L}\\p{N}])|(?![.!?;] |\\n[ \\t\\r]{0,9}\\n)[^\\p{L}\\p{N}]`;
const between = `(?:(?=(${item}))\\1){0,60}?`;
const aName = "[\\p{L}_][\\p{L}\\p{N}_.-]{0,60}";

/** A tool as it is looked for: what stands behind its name where it is called, and whether its parameters are known. */
interface Wanted {
  behind: RegExp;
  isDeclared: boolean;
}

/** Behind the name stands one of the parameters with a value, in any notation. */
function wantedOf({ inputSchema }: NamedTool): Wanted {
  const declared = Object.keys((inputSchema as { properties?: object } | undefined)?.properties ?? {}).slice(0, 200);
  const isDeclared = declared.length > 0;
  const param = isDeclared ? `(?:${declared.map(asPattern).join("|")})` : aName;
  const quoted = `(?:["'\`]|\\\\"|&quot;|<\\|"\\|>)`;
  const shapes = [
    // `{"k": …`, `{k: …`, `(k=…`
    `${quoted}${param}${quoted}\\s{0,9}[:=]`,
    `\\{\\s{0,9}${param}\\s{0,9}(?:=>|[:=])`,
    `\\(\\s{0,9}${param}\\s{0,9}=(?!=)`,
  ];
  // `name="k"`, `k="…"`, `<k>…`, `<parameter=k>…`, `<arg_key>k</arg_key>`; on a command's line `--k …` and `k=…`
  if (isDeclared)
    shapes.push(
      `=\\s?["']${param}["']`,
      `\\s${param}\\s?=\\s?["'{[\\d]`,
      `(?:<|&lt;)(?:[^<>\\n]{0,60}[\\s"'=:|])?${param}["']?(?:\\s[^<>\\n]{0,60})?>`,
      `>\\s{0,9}${param}\\s{0,9}<`,
      `(?<command>\\s(?:--${param.replaceAll("_", "[_-]")}(?![\\p{L}\\p{N}_-])|${param}=[^\\s=]))`,
    );
  // Arguments that are none.
  const none = "\\s?(?:\\{\\s{0,9}\\}|\\(\\{\\s{0,9}\\}\\))";
  return { behind: new RegExp(`(?:${between}(?:${shapes.join("|")})|${none})`, "uy"), isDeclared };
}

/** A sign of a format, right before a name: then it is no word of a sentence. */
const isMarked = /[<>|｜[{:=@]["'`\s]{0,9}(?:functions\.)?$/;
const beginsCommand = /(?:^|\n)[ \t]{0,9}(?:[$%#❯][ \t]{0,3})?$/;
const beginsLine = /(?:^|\n)[ \t]{0,9}(?:functions\.)?$/;
/** A sentence that goes on behind a bracket or quote, to the end of its line. */
const goesOn = /[)\]}"'>],?[ \t]{1,9}\p{L}[^<>{}()[\]]*$/u;

/**
 * Returns a function that finds where the name of a tool stands with its arguments behind it, whatever the marks around and between them:
 * calls whose own marks are damaged, or those of no format. A sentence that mentions a call goes on behind it.
 */
export function namedCalls(tools: readonly NamedTool[]): (text: string) => Iterable<Span> {
  const byName = new Map(tools.filter(({ name }) => name !== "").map((tool) => [tool.name, tool]));
  const wanted = new Map<string, Wanted>();
  const wantedAs = (name: string): Wanted => {
    const found = wanted.get(name) ?? wantedOf(byName.get(name) as NamedTool);
    wanted.set(name, found);
    return found;
  };
  return function* (text) {
    // The longest first: a name may begin with another one.
    const named = [...byName.keys()].filter((name) => text.includes(name)).sort((a, b) => b.length - a.length);
    if (named.length === 0) return;
    const names = new RegExp(`(?<![\\p{L}\\p{N}_-])(?:${named.map(asPattern).join("|")})(?![\\p{L}\\p{N}_-])`, "gu");
    for (const { 0: name, index } of matchesOf(names, text)) {
      const { behind, isDeclared } = wantedAs(name);
      const match = matchAt(behind, text, index + name.length);
      if (!match) continue;
      const end = behind.lastIndex;
      const before = text.slice(Math.max(0, index - 20), index);
      const isSentence = match.groups?.command
        ? !beginsCommand.test(before)
        : isDeclared
          ? goesOn.test(text.slice(end, Math.min(lineEnd(text, end), end + 400)))
          : !beginsLine.test(before);
      if (isMarked.test(before) || !isSentence) yield { start: index, end };
    }
  };
}
