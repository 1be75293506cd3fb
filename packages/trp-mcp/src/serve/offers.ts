import {
  type InputRequiredResult,
  isInputRequiredResult,
  ProtocolError,
  ProtocolErrorCode,
  UriTemplate,
} from "@modelcontextprotocol/server";
import type { JsonObject } from "@toolglot/core";
import { defined, isObject } from "@toolglot/internal";
import { viewsFor } from "../server-views.ts";
import type { Caller, ImportedPrompt, ImportedTool, ServerView, ToolAnswer, ToolCall } from "../types.ts";
import type { ServeMcpOptions } from "./options.ts";

/** Milliseconds for which a list tells which server an address belongs to. */
const knownMs = 60_000;

/** Before the id of a result that was kept apart. */
const artifactPrefix = "toolglot://artifact/";

type Options = Pick<ServeMcpOptions, "servers" | "visible" | "artifacts" | "onError" | "onNotice">;
type Listed<Key extends string> = JsonObject & Record<Key, string>;

/** A server whose resources, or prompts, a caller may read. */
interface Reader {
  server: ServerView;
  read: ImportedTool;
}

/**
 * Resources, templates and prompts of all servers, as one. An address stays as it is: of two servers that list it, the first in the
 * configuration serves it. What a caller may not read looks unknown.
 */
export class Offers {
  readonly #options: Options;
  /** Addresses of which a notice was given. */
  readonly #noticed = new Set<string>();
  /** What servers listed, by kind, and when. */
  readonly #known = new WeakMap<ServerView, Map<string, { at: number; items: Promise<unknown[]> }>>();

  constructor(options: Options) {
    this.#options = options;
  }

  async resources(caller: Caller): Promise<JsonObject[]> {
    return (await this.#resources(caller, 0)).map(({ item }) => item);
  }

  async templates(caller: Caller): Promise<JsonObject[]> {
    return (await this.#templates(caller, 0)).map(({ item }) => item);
  }

  async prompts(caller: Caller): Promise<JsonObject[]> {
    return (await this.#prompts(caller, 0)).map(({ prompt }) => prompt.listed);
  }

  /** The call that reads an address; the contents of what is kept here. Rejects with `ProtocolError`. */
  async resource(uri: string, caller: Caller): Promise<ToolCall | { contents: JsonObject[] }> {
    if (uri.startsWith(artifactPrefix)) return this.#artifact(uri, caller);
    const { read } = await this.resourceServer(uri, caller);
    return { tool: read, arguments: { uri } };
  }

  async #artifact(uri: string, { principal: { tenant, id } }: Caller): Promise<{ contents: JsonObject[] }> {
    const found = await this.#options.artifacts?.read(uri.slice(artifactPrefix.length), { tenant, principal: id });
    if (found === undefined) throw unknown(`Resource ${uri} not found`, { uri });
    const { bytes, artifact } = found;
    const isText = /^text\/|\bjson\b/.test(artifact.mediaType);
    const data = isText ? { text: new TextDecoder().decode(bytes) } : { blob: Buffer.from(bytes).toString("base64") };
    return { contents: [{ uri, mimeType: artifact.mediaType, ...data }] };
  }

  /** The call that reads a prompt. Rejects with `ProtocolError`. */
  async prompt(name: string, args: JsonObject | undefined, caller: Caller): Promise<ToolCall> {
    const { prompt, read } = await this.#prompt(name, caller);
    return { tool: read, arguments: { name: prompt.prompt, ...defined({ arguments: args }) } };
  }

  /** Asks the server that the prompt or template belongs to. Rejects with `ProtocolError`. */
  async complete(params: JsonObject, caller: Caller, signal: AbortSignal): Promise<JsonObject> {
    const { ref } = params as { ref: JsonObject };
    let server: ServerView;
    let asked = params;
    if (ref.type === "ref/prompt") {
      const found = await this.#prompt(String(ref.name), caller);
      server = found.server;
      asked = { ...params, ref: { ...ref, name: found.prompt.prompt } };
    } else {
      const uri = String(ref.uri);
      const templates = await this.#templates(caller, knownMs);
      const found = templates.find(({ item }) => item.uriTemplate === uri);
      server = (found ?? (await this.resourceServer(uri, caller))).server;
    }
    if (!server.client.capabilities.includes("completions")) return { completion: { values: [] } };
    return server.client.request("completion/complete", asked, { signal });
  }

  /** The server that serves an address to the caller. Rejects with `ProtocolError`. */
  async resourceServer(uri: string, caller: Caller): Promise<Reader> {
    for (const maxAge of [knownMs, 0]) {
      const exact = (await this.#resources(caller, maxAge)).find(({ item }) => item.uri === uri);
      const found = exact ?? (await this.#templates(caller, maxAge)).find(({ item }) => matches(item.uriTemplate, uri));
      if (found !== undefined) return found;
    }
    // Servers may have resources that they don't list. Of several servers nobody knows which.
    const [only, ...others] = this.#readers(caller, "resourceRead");
    if (only === undefined || others.length > 0) throw unknown(`Resource ${uri} not found`, { uri });
    return only;
  }

  #resources(caller: Caller, maxAge: number): Promise<(Reader & { item: Listed<"uri"> })[]> {
    return this.#first(caller, "uri", maxAge, ({ offer }) => offer.listResources());
  }

  #templates(caller: Caller, maxAge: number): Promise<(Reader & { item: Listed<"uriTemplate"> })[]> {
    return this.#first(caller, "uriTemplate", maxAge, ({ offer }) => offer.listResourceTemplates());
  }

  async #prompt(name: string, caller: Caller): Promise<Reader & { prompt: ImportedPrompt }> {
    for (const maxAge of [knownMs, 0]) {
      const found = (await this.#prompts(caller, maxAge)).find(({ prompt }) => prompt.shownName === name);
      if (found !== undefined) return found;
    }
    throw unknown(`Prompt ${name} not found`);
  }

  async #prompts(caller: Caller, maxAge: number): Promise<(Reader & { prompt: ImportedPrompt })[]> {
    const readers = this.#readers(caller, "promptGet");
    const lists = await Promise.all(
      readers.map(({ server }) => this.#listed(server, "prompts", maxAge, () => server.offer.listPrompts())),
    );
    return readers.flatMap((reader, at) => (lists[at] ?? []).map((prompt) => ({ ...reader, prompt })));
  }

  /** What the servers list, each key once: as the first of them has it. */
  async #first<Key extends string>(
    caller: Caller,
    key: Key,
    maxAge: number,
    list: (server: ServerView) => Promise<Listed<Key>[]>,
  ): Promise<(Reader & { item: Listed<Key> })[]> {
    const readers = this.#readers(caller, "resourceRead");
    const lists = await Promise.all(readers.map(({ server }) => this.#listed(server, key, maxAge, () => list(server))));
    const found = new Map<string, Reader & { item: Listed<Key> }>();
    for (const [at, reader] of readers.entries()) {
      for (const item of lists[at] ?? []) {
        const first = found.get(item[key]);
        if (first === undefined) found.set(item[key], { ...reader, item });
        else this.#notice(item[key], first.server.name, reader.server.name);
      }
    }
    return [...found.values()];
  }

  #readers(caller: Caller, kind: "resourceRead" | "promptGet"): Reader[] {
    return viewsFor(caller.principal, this.#options.servers()).flatMap((server) => {
      const read = server.offer[kind];
      return read !== undefined && this.#options.visible(caller, read) ? [{ server, read }] : [];
    });
  }

  /** A server that can't answer has nothing to list. `maxAge`: of a list that was read before, milliseconds. */
  async #listed<Item>(server: ServerView, kind: string, maxAge: number, list: () => Promise<Item[]>): Promise<Item[]> {
    const known = this.#known.get(server) ?? new Map<string, { at: number; items: Promise<unknown[]> }>();
    this.#known.set(server, known);
    const now = performance.now();
    const last = known.get(kind);
    const items = last !== undefined && now - last.at < maxAge ? (last.items as Promise<Item[]>) : list();
    if (items !== last?.items) known.set(kind, { at: now, items });
    try {
      return await items;
    } catch (cause) {
      if (known.get(kind)?.items === items) known.delete(kind);
      this.#options.onError?.(new Error(`The server ${server.name} can't list what it has.`, { cause }));
      return [];
    }
  }

  #notice(uri: string, first: string, other: string): void {
    const key = `${uri}\n${other}`;
    if (first === other || this.#noticed.has(key)) return;
    this.#noticed.add(key);
    this.#options.onNotice?.(`${uri} is listed by ${first} and by ${other}: ${first} serves it.`);
  }
}

function matches(template: string, uri: string): boolean {
  try {
    return new UriTemplate(template).match(uri) !== null;
  } catch {
    return false;
  }
}

function unknown(message: string, data?: JsonObject): ProtocolError {
  return new ProtocolError(ProtocolErrorCode.InvalidParams, message, data);
}

/** Returns the result of a read, or the question to the client in its place. Throws what it came to instead, since its results have no place for errors. */
export function readResult(
  answer: ToolAnswer | InputRequiredResult,
  facts: JsonObject,
): JsonObject | InputRequiredResult {
  if (isInputRequiredResult(answer)) return answer;
  const { result, outcome } = answer;
  if (outcome.status === "done" || outcome.status === "replayed") return result as unknown as JsonObject;
  const [first] = result.content ?? [];
  const text = isObject(first) && "text" in first ? String(first.text) : outcome.status;
  // The server refused it, or a rule did: asking again does not help.
  const isFinal = outcome.status === "refused" || outcome.status === "failed";
  const code = isFinal ? ProtocolErrorCode.InvalidParams : ProtocolErrorCode.InternalError;
  throw new ProtocolError(code, text, { ...facts, outcome });
}
