/** A kind of program text of any length, for calls to carry. */
export interface BodyKind {
  name: string;
  /** What makes it hard. */
  about: string;
  /** A body of about this many characters, ending in a line feed. */
  make(length: number): string;
  /** What it holds ends a value in its format, so that it need not come back as it was. */
  endsValues?: true;
}

const ordinary = [
  "# gather what the index knows about the topic",
  "results = search_web(query, max_results=10)",
  "for index, item in enumerate(results):",
  '    title = item["title"].strip()',
  "    if len(title) < 3 and not item.get('url'):",
  "        continue  # nothing to read here",
  '    page = fetch(item["url"], {"timeout": 30, "retries": 2})',
  "    words = [w for w in page.split() if w.isalpha() and len(w) > 4]",
  '    summary[title] = {"words": len(words), "share": len(words) / max(1, len(page))}',
  "",
  "best = sorted(summary.items(), key=lambda pair: pair[1]['share'], reverse=True)[:5]",
  '__result__ = {"count": len(summary), "best": best, "done": True}',
];

/** The lines in turn, over and over, until the length is reached. */
export const inTurn =
  (...list: readonly string[]): BodyKind["make"] =>
  (length) => {
    const out: string[] = [];
    for (let size = 0; size < length; ) {
      const text = list[out.length % list.length] as string;
      out.push(text);
      size += text.length + 1;
    }
    return `${out.join("\n")}\n`;
  };

/** Python as models write it. */
export const plain: BodyKind = {
  name: "plain",
  about: "Python as models write it",
  make: inTurn(...ordinary),
};

/** Bodies and prose that are hard in every format. */
export const angles: BodyKind = {
  name: "`<` everywhere",
  about: "comparisons, generics and unfinished tags, `<` in every word",
  make: inTurn("x <T <div <a< << <tool <think <code< a<b<c <!- <?x </ <"),
};

export const backticks: BodyKind = {
  name: "backticks",
  about: "backticks alone, in pairs and in threes, at line starts and inside lines",
  make: inTurn("```", "`a` `` ` ```", "x = `y`", "~~~", "``", "`"),
};

export const proseOfAngles: BodyKind = {
  name: "prose of `<`",
  about: "text before the block, full of tags that might open reasoning",
  make: inTurn("a < b <t <th <thin <thought-less </thin <thinkin <b>bold</b> <"),
};

export const proseOfBackticks: BodyKind = {
  name: "prose of backticks",
  about: "text before the block, full of inline code that is not closed on its line",
  make: inTurn("a `b c", "``d e", "f ```` g `h`", "`"),
};

/** A text in pieces of equal length. */
export function cut(text: string, length: number): string[] {
  const chunks: string[] = [];
  for (let at = 0; at < text.length; at += length) chunks.push(text.slice(at, at + length));
  return chunks;
}
