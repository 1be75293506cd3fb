// The table of README.md that says which package works on which runtime. The gate `runtimes` holds the packages to it.

/** @typedef {"node" | "bun" | "deno"} Family */
/** @typedef {{ name: string, family: Family, version: string }} Runtime `name`: as the table has it, `Node 20`. */
/** @typedef {{ runtimes: Runtime[], claims: { id: string, cells: string[] }[] }} Support `cells`: one for each runtime. */

/**
 * Reads the one table whose columns are runtimes. Its first column lists packages by their folder's name.
 * @param {string} markdown
 * @returns {Support}
 */
export function readSupport(markdown) {
  const lines = markdown.split("\n");
  const head = lines.findIndex((line) => /^\|[^|]+\| Node \d/.test(line));
  if (head < 0) throw new Error("there is no table of packages and runtimes");
  const runtimes = cellsOf(lines[head] ?? "")
    .slice(1)
    .map(runtimeOf);
  const end = lines.findIndex((line, index) => index > head && !line.startsWith("|"));
  const claims = lines.slice(head + 2, end).flatMap((line) => {
    const [packages = "", ...cells] = cellsOf(line);
    return [...packages.matchAll(/`([\w-]+)`/g)].map(([, id = ""]) => ({ id, cells }));
  });
  return { runtimes, claims };
}

/** @param {string} line */
const cellsOf = (line) =>
  line
    .slice(1, -1)
    .split("|")
    .map((cell) => cell.trim());

/** @param {string} name @returns {Runtime} */
export function runtimeOf(name) {
  const [, family = "", version = ""] = /^(Node|Bun|Deno) (\d[\d.]*)$/.exec(name) ?? [];
  if (version === "") throw new Error(`${name} is no runtime that has a test`);
  return { name, family: /** @type {Family} */ (family.toLowerCase()), version };
}
