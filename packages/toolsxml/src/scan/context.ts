import type { ToolDefinition } from "@toolglot/core";
import { LooseTags } from "./loose-tags.ts";

/** Where a raw body stands: what may follow its closing tag, and which tags inside may be structure. */
export interface BodyContext {
  /** Sticky, at a `<`: a tag that fits the grammar behind the body. */
  follows: RegExp;
  /** The same as names, closing ones with a slash. */
  following: readonly string[];
  /** Every tag that counts in a doubtful body, and CDATA. */
  inner: RegExp;
  /** Names of the elements around it. */
  parents: ReadonlySet<string>;
  /** Longest name. */
  longest: number;
}

const quoted = (name: string): string => name.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&");

function context(parents: readonly string[], openers: readonly string[]): BodyContext {
  const any = (names: readonly string[]): string => names.map(quoted).join("|");
  const names = [...new Set([...parents, ...openers])];
  return {
    follows: new RegExp(`<[ \\t]{0,8}(?:/[ \\t]{0,8}(?:${any(parents)})|(?:${any(openers)}))(?=[\\s/>])`, "iy"),
    following: [...parents.map((name) => `/${name}`), ...openers],
    inner: new RegExp(`<!\\[CDATA\\[|<(/?)(${any(names)})(?=[\\s/>])`, "gi"),
    parents: new Set(parents),
    longest: Math.max(...names.map((name) => name.length)) + 20,
  };
}

export const builtIns = ["command", "edit", "read", "get_value", "input", "ctrl", "mcp"] as const;

/** The tags that are known to a parser. */
export class Names {
  /** Declared tools by lower-cased name; built-in names are not among them. */
  readonly tools: Map<string, ToolDefinition> = new Map();
  readonly known: readonly string[];
  /** At the beginning of a text: the tag of a call. */
  readonly callTag: RegExp;
  /** A line that begins with the tag of a call, or with that of an element around it. */
  readonly callLine: RegExp;
  readonly call: BodyContext;
  readonly find: BodyContext;
  readonly replace: BodyContext;
  readonly #loose = new Map<string, LooseTags>();

  constructor(tools: readonly ToolDefinition[] = []) {
    for (const tool of tools) {
      const name = tool.name.toLowerCase();
      if (!(builtIns as readonly string[]).includes(name) && !this.tools.has(name)) this.tools.set(name, tool);
    }
    this.known = [...builtIns, ...this.tools.keys()];
    const any = this.known.map(quoted).join("|");
    this.callTag = new RegExp(`^<(?:${any})(?=[\\s/>])`, "i");
    this.callLine = new RegExp(`^[ \\t]{0,200}(?:<[^<>]{0,80}>[ \\t]{0,80})?<[ \\t]{0,8}(${any})(?=[\\s/>]|$)`, "i");
    this.call = context(["tools"], [...this.known, "tools", "results"]);
    const around = ["file", "edit", "tools"];
    this.find = context(around, ["find", "replace"]);
    this.replace = context(around, ["find", "replace", "file"]);
  }

  /** What shows that a body of an element took in its neighbour. */
  loose(name: string): LooseTags {
    let made = this.#loose.get(name);
    if (!made) {
      made = looseTags(name, this.known);
      this.#loose.set(name, made);
    }
    return made;
  }

  isCall(name: string): boolean {
    return this.tools.has(name) || (builtIns as readonly string[]).includes(name);
  }
}

/** What shows that the body of an element took in its neighbour. `known`: the names of all calls, lower-cased. */
export function looseTags(name: string, known: readonly string[]): LooseTags {
  const inEdit = ["find", "replace", "file"];
  if (name === "find" || name === "replace") return new LooseTags(["find", "replace"], ["file", "edit", "tools"]);
  // A script has no tags outside its quotes, so that those of all elements count.
  if (name === "command") return new LooseTags([name], ["tools", ...known, ...inEdit], [...known, ...inEdit]);
  return new LooseTags([name], ["tools"], known);
}
