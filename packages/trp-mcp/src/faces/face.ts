import { type JsonObject, nearest } from "@toolglot/core";
import { isObject, parseJson } from "@toolglot/internal";
import { behindLogin } from "../import/behind-login.ts";
import { viewsFor } from "../server-views.ts";
import type { Caller, ImportedServer, ImportedTool, OwnTool, ServerView } from "../types.ts";
import { bytesOf } from "./cut-text.ts";
import * as own from "./own-tools.ts";
import { serverLines } from "./server-lines.ts";
import { matchLines, ToolSearch } from "./tool-search.ts";

/**
 * How tools are shown: as they are, behind a search, or to programs, which a tool of the gateway's own runs; `auto` takes `tools` while
 * their list is small, else `search`.
 */
export type FaceName = "tools" | "search" | "code" | "auto";

/** What a call of a listed name comes to. */
export type Target =
  | { kind: "call"; tool: ImportedTool; arguments: JsonObject }
  | { kind: "own"; tool: OwnTool; arguments: JsonObject }
  | { kind: "again"; receipt: string }
  | { kind: "status"; id: string }
  | { kind: "text"; text: string; isError?: true };

/** The list up to which `auto` shows tools as they are, in bytes: 10,000 tokens. */
const autoBytes = 40_000;
/** How a tool is called that was found. */
const calling = {
  tools: "its name calls",
  search: "toolglot_call calls",
  code: 'tools["NAME"]({ … }) calls in a program',
};
const defaultLimit = 8;
const maxLimit = 20;

/** What a face is made from. */
export interface FaceOptions {
  face: FaceName;
  servers(): readonly ImportedServer[];
  visible(caller: Caller, tool: ImportedTool): boolean;
  own?(caller: Caller): readonly OwnTool[];
}

/** Shows the servers' tools to callers, each of whom sees only what is open to him. */
export class Face {
  readonly #options: FaceOptions;
  readonly #search = new ToolSearch();
  #decided: Exclude<FaceName, "auto"> | undefined;

  constructor(options: FaceOptions) {
    this.#options = options;
  }

  /** Kept from the first list on: a face that changed would cost every client its prompt cache. */
  get name(): Exclude<FaceName, "auto"> {
    const { face } = this.#options;
    return this.#decided ?? (face === "auto" ? this.#bySize() : face);
  }

  /** The tools as the caller gets them listed. */
  list(caller: Caller): JsonObject[] {
    this.#decided = this.name;
    const tools = this.#visibleTo(caller);
    const more = this.#own(caller).map(({ listed }) => listed);
    return [...this.#shown(caller, tools, more), own.again, own.status];
  }

  #shown(caller: Caller, tools: readonly ImportedTool[], more: JsonObject[]): JsonObject[] {
    if (this.#decided === "tools") {
      const all = [...tools.map(({ listed }) => listed), ...more];
      return all.sort((one, other) => (String(one.name) < String(other.name) ? -1 : 1));
    }
    const search = own.search(serverLines(this.#views(caller), tools));
    return [search, own.describe, ...(this.#decided === "code" ? [] : [own.call]), ...more];
  }

  /** Returns undefined for a name that the caller has no tool of. */
  target(caller: Caller, name: string, args: JsonObject): Target | undefined {
    if (name === own.again.name) return againOf(args);
    if (name === own.status.name) return statusOf(args);
    const tool = this.#tool(caller, name);
    if (tool !== undefined) return { kind: "call", tool, arguments: args };
    const ours = this.#own(caller).find(({ listed }) => listed.name === name);
    if (ours !== undefined) return { kind: "own", tool: ours, arguments: args };
    const unknown = this.#behindLogin(caller, name);
    if (unknown !== undefined) return { kind: "call", tool: unknown, arguments: args };
    const shown = this.name;
    if (shown === "tools") return undefined;
    if (name === own.searchName) return this.#found(this.#visibleTo(caller), args);
    if (name === own.describe.name) return described(this.#visibleTo(caller), args);
    return name === own.call.name && shown === "search" ? this.#called(caller, args) : undefined;
  }

  /** The tool that a name calls, when some of its arguments stand in headers as well. */
  headerTool(caller: Caller, name: string): { name: string; inputSchema: JsonObject } | undefined {
    const tool = this.#tool(caller, name);
    return tool !== undefined && hasHeaders(tool) ? tool.listed : undefined;
  }

  #own(caller: Caller): readonly OwnTool[] {
    return this.#options.own?.(caller) ?? [];
  }

  #tool(caller: Caller, name: string): ImportedTool | undefined {
    for (const { tools } of this.#views(caller)) {
      const tool = byName(tools).get(name);
      if (tool !== undefined && this.#options.visible(caller, tool)) return tool;
    }
    return undefined;
  }

  #behindLogin({ principal }: Caller, name: string): ImportedTool | undefined {
    return behindLogin(principal, this.#options.servers(), name);
  }

  #called(caller: Caller, { name, arguments: given = {} }: JsonObject): Target {
    if (typeof name !== "string") return fault(`toolglot_call needs "name": a name that toolglot_search gave.`);
    const tool = this.#tool(caller, name) ?? this.#behindLogin(caller, name);
    if (tool === undefined) return fault(noSuch(this.#visibleTo(caller), name));
    // Some models write an object within an object as text.
    const args = typeof given === "string" ? parseJson(given) : given;
    if (isObject(args)) return { kind: "call", tool, arguments: args as JsonObject };
    return fault(`toolglot_call: "arguments" must be an object, as the input schema of ${name} says.`);
  }

  #visibleTo(caller: Caller): ImportedTool[] {
    return this.#views(caller)
      .flatMap(({ tools }) => tools)
      .filter((tool) => this.#options.visible(caller, tool))
      .sort((one, other) => (one.shownName < other.shownName ? -1 : 1));
  }

  #views(caller: Caller): ServerView[] {
    return viewsFor(caller.principal, this.#options.servers());
  }

  #bySize(): "tools" | "search" {
    const all = this.#options.servers().flatMap(({ tools }) => tools);
    return bytesOf(JSON.stringify(all.map(({ listed }) => listed))) <= autoBytes ? "tools" : "search";
  }

  #found(tools: readonly ImportedTool[], { query, server, limit }: JsonObject): Target {
    if (typeof query !== "string" || query.trim() === "") {
      return fault(`toolglot_search needs "query": a few words on what is to be done.`);
    }
    const among = server === undefined ? tools : tools.filter((tool) => tool.server === server);
    if (among.length === 0) {
      const names = [...new Set(tools.map((tool) => tool.server))].join(", ");
      return fault(`There is no server ${JSON.stringify(server ?? "")}. There are: ${names || "none"}.`);
    }
    const most = Math.min(maxLimit, Math.max(1, Math.trunc(Number(limit ?? defaultLimit)) || defaultLimit));
    const lines = matchLines(this.#search.search(among, query.slice(0, 1_000), most));
    const text =
      lines.length === 0
        ? `None of ${among.length} tools fits. Say in other words what is to be done.`
        : [`Arguments marked ? are optional. toolglot_describe gives schemas, ${calling[this.name]}.`, ...lines].join(
            "\n",
          );
    return { kind: "text", text };
  }
}

const indexes = new WeakMap<readonly ImportedTool[], ReadonlyMap<string, ImportedTool>>();

/** The tools of a server by the names that are shown; a server's list is another when one of them changes. */
function byName(tools: readonly ImportedTool[]): ReadonlyMap<string, ImportedTool> {
  let index = indexes.get(tools);
  if (index === undefined) {
    index = new Map(tools.map((tool) => [tool.shownName, tool]));
    indexes.set(tools, index);
  }
  return index;
}

const withHeaders = new WeakMap<ImportedTool, boolean>();

function hasHeaders(tool: ImportedTool): boolean {
  const known = withHeaders.get(tool) ?? JSON.stringify(tool.listed.inputSchema).includes('"x-mcp-header"');
  withHeaders.set(tool, known);
  return known;
}

function fault(text: string): Target {
  return { kind: "text", text, isError: true };
}

function againOf({ receipt }: JsonObject): Target {
  if (typeof receipt === "string" && receipt !== "") return { kind: "again", receipt };
  return fault(`toolglot_again needs "receipt": the one that stands in the result of the earlier call.`);
}

function statusOf({ receipt, approval }: JsonObject): Target {
  const id = receipt ?? approval;
  if (typeof id === "string" && id !== "") return { kind: "status", id };
  return fault(`toolglot_status needs "receipt" of a call, or "approval", the id of a request for approval.`);
}

function described(tools: readonly ImportedTool[], { names }: JsonObject): Target {
  const wanted = (Array.isArray(names) ? names : [names]).filter((name) => typeof name === "string").slice(0, maxLimit);
  if (wanted.length === 0) return fault(`toolglot_describe needs "names": a list of names that toolglot_search gave.`);
  const texts = wanted.map((name) => {
    const found = tools.find(({ shownName }) => shownName === name);
    if (found === undefined) return noSuch(tools, name);
    const { icons, _meta, ...rest } = found.listed;
    return JSON.stringify(rest);
  });
  return { kind: "text", text: texts.join("\n") };
}

/** Returns the same for what is unknown and of what is not open to the caller. */
function noSuch(tools: readonly ImportedTool[], name: string): string {
  const near = nearest(
    name,
    tools.map(({ shownName }) => shownName),
  );
  const hint = near.length > 0 ? ` Did you mean ${near.join(" or ")}?` : " Find it with toolglot_search.";
  return `There is no tool ${JSON.stringify(name.slice(0, 80))}.${hint}`;
}
