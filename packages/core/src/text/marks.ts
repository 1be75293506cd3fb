const reasoning = /<(\/?)(?:think|thinking|thought)(?:\s[^<>\n]{0,200})?>/iy;
const reasoningStart =
  /^<\/?(?:t|th|thi|thin|think|thinki|thinkin|thinking|tho|thou|thoug|though|thought)?$|^<\/?(?:think|thinking|thought)\s[^<>\n]{0,200}$/i;

/** The longest text that may still become a reasoning tag. */
const longestTag = 220;

/** A reasoning tag at an index: its length and whether it opens, `undefined` for none, `"more"` when more text decides. */
export function reasoningTag(
  text: string,
  at: number,
  ended: boolean,
): { length: number; opens: boolean } | "more" | undefined {
  reasoning.lastIndex = at;
  const match = reasoning.exec(text);
  if (match) return { length: match[0].length, opens: match[1] === "" };
  if (ended || text.length - at > longestTag) return undefined;
  return reasoningStart.test(text.slice(at)) ? "more" : undefined;
}

const blank = "[ \\t]{0,9}";
const result = new RegExp(
  `^[ \\t]*(\\[{1,2}${blank}["']?tool[_ -]?results?["']?${blank}\\]{1,2}|<${blank}\\|${blank}\\[${blank}TOOL_RESULT${blank}\\]${blank}\\|${blank}>` +
    `|<${blank}results(?=[\\s/>])|<\\|?tool_response\\|?>|<function_results>|<[｜|]tool[▁_]outputs?[▁_]begin[｜|]>)`,
  "i",
);
const resultStart = new RegExp(`^(?:\\[{1,2}${blank}(?:["']?t|["']?$)|<(?:${blank}[|rtf｜]|${blank}$)|$)`, "i");

/** The result marker that a line opens, of any format: what only the host may write. */
export function resultMarker(line: string): string | undefined {
  return result.exec(line)?.[1];
}

/** Whether an unfinished line may still open a result marker. */
export function mayBecomeResult(line: string): boolean {
  const text = line.trimStart();
  return text.length < 80 && resultStart.test(text);
}
