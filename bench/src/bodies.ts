/** A kind of program text of any length, for calls to carry. */
export interface BodyKind {
  name: string;
  /** What makes it hard. */
  about: string;
  /** A body of about this many characters, ending in a line feed. */
  make(length: number): string;
}

/** Repeats lines, each told its number, until the length is reached. */
function lines(line: (index: number) => string): (length: number) => string {
  return (length) => {
    const out: string[] = [];
    for (let size = 0, index = 0; size < length; index += 1) {
      const text = line(index);
      out.push(text);
      size += text.length + 1;
    }
    return `${out.join("\n")}\n`;
  };
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

const pick = (list: readonly string[], index: number): string => list[index % list.length] as string;

/** Python as models write it. */
export const plain: BodyKind = {
  name: "plain",
  about: "Python as models write it",
  make: lines((index) => pick(ordinary, index)),
};

/** Bodies made to be hard: each is full of what a parser must look at twice. */
export const hostile: BodyKind[] = [
  {
    name: "`<` everywhere",
    about: "comparisons, generics and unfinished tags, `<` in every word",
    make: lines(() => "x <T <div <a< << <tool <think <code< a<b<c <!- <?x </ <"),
  },
  {
    name: "almost-closers",
    about: "two quotes of three, in lines of their own and in a row",
    make: lines((index) => pick(["''", "'' '' '' ''", "s = '' ''", '""', "'' x", "a''b''c"], index)),
  },
  {
    name: "inner quotes",
    about: "docstrings in `'''` inside `'''`: every one might be the end, and the strict reading fails",
    make: lines((index) =>
      pick(["def f():", "    '''one line'''", "    s = '''", "    text", "    '''", "    return s"], index),
    ),
  },
  {
    name: "openers",
    about: "lines that would begin a document, a fence, reasoning or a result, none of them closed",
    make: lines((index) =>
      pick(["[tool_call]", 'thought = """', 'status = "success"', "```toml", "<think>", "[tool_result]"], index),
    ),
  },
  {
    name: "backticks",
    about: "backticks alone, in pairs and in threes, at line starts and inside lines",
    make: lines((index) => pick(["```", "`a` `` ` ```", "x = `y`", "~~~", "``", "`"], index)),
  },
];

/** Prose around a small document, made to be hard to search. */
export const hostileProse: BodyKind[] = [
  {
    name: "prose of `<`",
    about: "text before the document, full of tags that might open reasoning",
    make: lines(() => "a < b <t <th <thin <thought-less </thin <thinkin <b>bold</b> <"),
  },
  {
    name: "prose of backticks",
    about: "text before the document, full of inline code that is not closed on its line",
    make: lines((index) => pick(["a `b c", "``d e", "f ```` g `h`", "`"], index)),
  },
  {
    name: "prose of openers",
    about: "text before the document, full of lines that nearly begin one",
    make: lines((index) =>
      pick(["thought = nothing", "status = 200", "[tool_cal]", 'code = "x"', "target = 3 apples", "{", "[["], index),
    ),
  },
];
