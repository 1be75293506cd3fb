// The examples in a README: a ```ts program, and the ```text block after it is what it prints.

/**
 * @typedef {{ program: string, output: string, line: number }} Example line is where the program's fence opens, from 1.
 */

/**
 * Every program that is followed by its output before the next program begins. Programs without output are left out.
 * @param {string} markdown
 * @returns {Example[]}
 */
export function readmeExamples(markdown) {
  /** @type {Example[]} */
  const examples = [];
  /** @type {{ program: string, line: number } | undefined} */
  let waiting;
  for (const block of fencedBlocks(markdown)) {
    if (block.language === "ts") waiting = { program: block.text, line: block.line };
    else if (block.language === "text" && waiting) {
      examples.push({ ...waiting, output: block.text });
      waiting = undefined;
    }
  }
  return examples;
}

/**
 * @param {string} markdown
 * @returns {{ language: string, text: string, line: number }[]}
 */
function fencedBlocks(markdown) {
  /** @type {{ language: string, text: string, line: number }[]} */
  const blocks = [];
  /** @type {{ fence: string, language: string, lines: string[], line: number } | undefined} */
  let open;
  for (const [index, line] of markdown.split(/\r?\n/).entries()) {
    if (open) {
      if (line.startsWith(open.fence) && line.slice(open.fence.length).trim() === "") {
        blocks.push({ language: open.language, text: open.lines.join("\n"), line: open.line });
        open = undefined;
      } else open.lines.push(line);
      continue;
    }
    const opening = /^(`{3,}|~{3,})\s*(\w*)/.exec(line);
    if (opening) open = { fence: opening[1] ?? "", language: opening[2] ?? "", lines: [], line: index + 1 };
  }
  return blocks;
}
