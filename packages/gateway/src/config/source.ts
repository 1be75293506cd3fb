import { joinPath } from "@toolglot/internal";
import { createScanner, type Node, type ParseError, parseTree, printParseErrorCode } from "jsonc-parser";
import { TomlError } from "smol-toml";
import type { ConfigProblem } from "./problem.ts";
import { tomlTree } from "./toml-tree.ts";

/** Keys and indices from the root of a file. */
export type Path = readonly (string | number)[];

/** Levels of a file; the parser is recursive. */
const maxDepth = 100;
const tooDeepWords = (): string => `nested more than ${maxDepth} levels deep`;

/** The text of one file, with the tree of what stands where. */
export class Source {
  readonly file: string;
  /** Where relative paths of this file begin. */
  readonly folder: string;
  readonly text: string;
  /** Undefined when the file is no JSON, or no TOML where its name ends so. */
  readonly root: Node | undefined;
  readonly problems: readonly ConfigProblem[];
  /** Where lines begin. */
  #lines: number[] | undefined;

  /** `reshape`: makes the tree that is read of the one that was written. */
  constructor(file: string, folder: string, text: string, reshape: (root: Node) => Node = (root) => root) {
    this.file = file;
    this.folder = folder;
    this.text = text.replace(/^\uFEFF/, "");
    const { root, problems } = /\.toml$/i.test(file) ? this.#readToml() : this.#readJson();
    this.problems = problems;
    this.root = root === undefined ? undefined : reshape(root);
  }

  #readToml(): { root?: Node; problems: ConfigProblem[] } {
    try {
      return { root: tomlTree(this.text, maxDepth), problems: [] };
    } catch (error) {
      if (error instanceof RangeError) return { problems: [this.#syntax(0, tooDeepWords())] };
      if (!(error instanceof TomlError)) throw error;
      const { line, column, message } = error;
      const [reason = ""] = message.replace(/^Invalid TOML document: /, "").split("\n", 1);
      const offset = (this.#lineStarts()[line - 1] ?? 0) + column - 1;
      return {
        problems: [
          this.#syntax(offset, `is not TOML: ${reason}`, 'Write [mcp_servers.NAME], and below it command = "…".'),
        ],
      };
    }
  }

  #readJson(): { root?: Node; problems: ConfigProblem[] } {
    const tooDeep = offsetTooDeep(this.text);
    const errors: ParseError[] = [];
    const root = tooDeep === undefined ? parseTree(this.text, errors, { allowTrailingComma: true }) : undefined;
    const problems = [];
    if (tooDeep !== undefined) problems.push(this.#syntax(tooDeep, tooDeepWords()));
    // What follows the first slip is mostly its consequence.
    for (const { error, offset } of errors.slice(0, 1)) {
      const words = printParseErrorCode(error).replace(/(?<=[a-z])(?=[A-Z])/g, " ");
      problems.push(this.#syntax(offset, `is not JSON: ${words.toLowerCase()}`));
    }
    if (root === undefined && problems.length === 0) problems.push(this.#syntax(0, "is empty"));
    return { ...(root !== undefined && problems.length === 0 && { root }), problems };
  }

  /** Returns a problem at a node, or at an offset of the text. */
  problem(at: Node | number, path: Path, { severity = "error", code, message, cure }: ProblemText): ConfigProblem {
    const place = this.#place(typeof at === "number" ? at : at.offset);
    return { file: this.file, ...place, path: pathText(path), severity, code, message, cure };
  }

  #syntax(
    offset: number,
    message: string,
    cure = 'Write JSON, which may have comments and trailing commas: { "mcpServers": { } }.',
  ): ConfigProblem {
    return this.problem(offset, [], { code: "config/syntax", message, cure });
  }

  #lineStarts(): number[] {
    this.#lines ??= [0, ...[...this.text.matchAll(/\r\n|\r|\n/g)].map(({ index, 0: end }) => index + end.length)];
    return this.#lines;
  }

  #place(offset: number): { line: number; column: number } {
    const lines = this.#lineStarts();
    let [low, high] = [0, lines.length];
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if ((lines[middle] ?? 0) <= offset) low = middle;
      else high = middle;
    }
    return { line: low + 1, column: offset - (lines[low] ?? 0) + 1 };
  }
}

/** The words of a problem, without its place. */
export interface ProblemText extends Pick<ConfigProblem, "code" | "message" | "cure"> {
  /** Default `error`. */
  severity?: ConfigProblem["severity"];
}

function pathText(path: Path): string {
  return path.reduce<string>((text, key) => joinPath(text, key), "");
}

/** A member of an object's node: key, its node, the value's node. */
export interface Member {
  key: string;
  keyNode: Node;
  value: Node;
}

/** The members of an object's node. A key may be there twice. */
export function* membersOf(node: Node): Generator<Member> {
  for (const { children: [keyNode, value] = [] } of node.type === "object" ? (node.children ?? []) : []) {
    if (keyNode !== undefined && value !== undefined) yield { key: String(keyNode.value), keyNode, value };
  }
}

/** Returns the value of an object's member; of one that is there twice, the last. */
export function memberOf(node: Node | undefined, key: string): Node | undefined {
  return node === undefined ? undefined : [...membersOf(node)].findLast((member) => member.key === key)?.value;
}

/** Returns the node at a path. */
export function findNode(root: Node, path: Path): Node | undefined {
  let node: Node | undefined = root;
  for (const key of path) node = typeof key === "number" ? node?.children?.[key] : memberOf(node, key);
  return node;
}

/** Returns the node at a path, or the last one on the way to it. */
export function nodeAt(root: Node, path: Path): Node {
  return findNode(root, path) ?? nodeAt(root, path.slice(0, -1));
}

/** Returns the value of a node. `text` makes what a text of it becomes. Every key is the object's own, `__proto__` too. */
export function valueAt(node: Node, text: (raw: string, node: Node, path: Path) => string, path: Path = []): unknown {
  switch (node.type) {
    case "object": {
      const value = {};
      for (const { key, value: inner } of membersOf(node)) {
        const member = valueAt(inner, text, [...path, key]);
        Object.defineProperty(value, key, { value: member, enumerable: true, configurable: true, writable: true });
      }
      return value;
    }
    case "array":
      return (node.children ?? []).map((item, index) => valueAt(item, text, [...path, index]));
    case "string":
      return text(String(node.value), node, path);
    default:
      return node.value as unknown;
  }
}

function offsetTooDeep(text: string): number | undefined {
  const scanner = createScanner(text, true);
  let depth = 0;
  let before = -1;
  while (before < scanner.getPosition()) {
    before = scanner.getPosition();
    scanner.scan();
    const mark = scanner.getTokenLength() === 1 ? text[scanner.getTokenOffset()] : undefined;
    if (mark === "{" || mark === "[") depth++;
    if (mark === "}" || mark === "]") depth--;
    if (depth > maxDepth) return scanner.getTokenOffset();
  }
  return undefined;
}
