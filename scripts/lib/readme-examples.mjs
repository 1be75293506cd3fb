// The examples in a README: a ```ts or ```js program, and a ```text block of what it prints.
import { findImports } from "./imports.mjs";

/**
 * @typedef {{ language: string, program: string, output: string, line: number }} Example `line`: of its first opening fence, from 1.
 */

/**
 * Every program that is followed by what it prints: a text block, with nothing but "prints" or the like between.
 * A program that imports nothing goes on from the one before it, in the same file, and is one example with it.
 * @param {string} markdown
 * @returns {Example[]}
 */
export function readmeExamples(markdown) {
  /** @type {Example[]} */
  const examples = [];
  const blocks = fencedBlocks(markdown);
  for (const [index, { language, text, before }] of blocks.entries()) {
    const program = blocks[index - 1];
    if (language !== "text" || (program?.language !== "ts" && program?.language !== "js")) continue;
    if (before.trim() !== "" && !/\bprints?\b/i.test(before)) continue;
    const earlier = findImports("example.ts", program.text).length > 0 ? undefined : examples.pop();
    const common = { language: program.language, line: earlier?.line ?? program.line };
    examples.push(
      earlier
        ? { ...common, program: `${earlier.program}\n{\n${program.text}\n}`, output: `${earlier.output}\n${text}` }
        : { ...common, program: program.text, output: text },
    );
  }
  return examples;
}

/**
 * @typedef {{ file: string, program: string | undefined, output: string | undefined }} ShownFile `file`: as the page links to it.
 */

/**
 * Returns each program in TypeScript behind a link to the file of examples/ that it is, with what it prints if a text block follows. Of a
 * link with what its file prints alone there is no program.
 * @param {string} markdown
 * @returns {ShownFile[]}
 */
export function shownFiles(markdown) {
  const blocks = fencedBlocks(markdown);
  /** @param {string | undefined} before */
  const linked = (before = "") => [...before.matchAll(/\]\(([^)]*\bexamples\/[^)]*\.ts)\)/g)].at(-1)?.[1];
  /** @type {ShownFile[]} */
  const files = [];
  for (const [index, { language, text, before }] of blocks.entries()) {
    const file = linked(before);
    if (file === undefined) continue;
    const next = blocks[index + 1];
    const isOwn = next?.language === "text" && linked(next.before) === undefined;
    if (language === "text") files.push({ file, program: undefined, output: text });
    else if (language === "ts") files.push({ file, program: `${text}\n`, output: isOwn ? next.text : undefined });
  }
  return files;
}

/**
 * The packages that a page asks its reader to install, in every `npm install …` of it, without versions.
 * @param {string} markdown
 * @returns {Set<string>}
 */
export function packagesToInstall(markdown) {
  const lines = [...markdown.matchAll(/\bnpm (?:install|i) ([^`\n#]+)/g)].flatMap(([, names = ""]) =>
    names.trim().split(/\s+/),
  );
  return new Set(lines.filter((name) => !name.startsWith("-")).map((name) => name.replace(/(?<=.)@.*$/, "")));
}

/**
 * @param {string} markdown
 * @returns {{ language: string, text: string, line: number, before: string }[]} `before`: the prose since the last block.
 */
function fencedBlocks(markdown) {
  /** @type {{ language: string, text: string, line: number, before: string }[]} */
  const blocks = [];
  let before = "";
  /** @type {{ fence: string, language: string, lines: string[], line: number } | undefined} */
  let open;
  for (const [index, line] of markdown.split(/\r?\n/).entries()) {
    if (open) {
      if (line.startsWith(open.fence) && line.slice(open.fence.length).trim() === "") {
        blocks.push({ language: open.language, text: open.lines.join("\n"), line: open.line, before });
        open = undefined;
        before = "";
      } else open.lines.push(line);
      continue;
    }
    const opening = /^(`{3,}|~{3,})\s*(\w*)/.exec(line);
    if (opening) open = { fence: opening[1] ?? "", language: opening[2] ?? "", lines: [], line: index + 1 };
    else before += `${line}\n`;
  }
  return blocks;
}
