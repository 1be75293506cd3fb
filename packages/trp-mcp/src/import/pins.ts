import { createHash } from "node:crypto";
import type { JsonObject, JsonSchemaObject } from "@toolglot/core";
import { canonicalJson, checkKeys, isObject, parseJson } from "@toolglot/internal";
import { changeEntry, type RouterStore } from "@toolglot/trp-core/store";
import type { ImportNotice } from "../types.ts";
import { slug, toolNames } from "./names.ts";
import { type Judgement, stricter } from "./risk.ts";

/** `off`: nothing is kept. `risk`: no tool counts as less harmful by itself. `strict`: a changed or new tool is held back as well. */
export type PinMode = "off" | "risk" | "strict";

/** A tool as its server lists it. */
export interface SeenTool {
  /** As the server sent it. */
  sent: JsonObject & { name: string };
  /** Its input schema, without what can't be read. */
  schema: JsonSchemaObject;
  judged: Judgement;
}

/** What pinning makes of a tool. */
export interface PinnedTool {
  judged: Judgement;
  /** It is as it was at first sight, or as it was accepted. */
  accepted: boolean;
}

/** How a tool is kept. */
interface Pin {
  name: string;
  /** Of what was seen at first sight of the server, or accepted later; absent of a tool that came later. */
  accepted?: string;
  /** Of what was seen last. */
  seen: string;
  /** Of the schema that was seen last, to distinguish a new name from a new tool. */
  schema: string;
  /** What the tool as seen last is by itself. */
  judged: Judgement;
  /** No part of what it counts as is less than here. */
  floor: Judgement;
}

/** A new tool may do harm, whatever its hints are. */
const unknownTool: Judgement = { io: "READ", risk: "HIGH", effect: "pure" };

/** A change of one tool. */
type Change = Omit<ImportNotice, "server" | "tool"> & { tool: string };

/** A store that pins are kept in; their changes are rows of its audit log. */
export type PinStore = Pick<RouterStore, "blobs" | "audit">;

/** Where the tools of a server are kept, and before the names of the places of what it shows to one principal each. */
const placeOf = (server: string): string => `trp-mcp/pins/${slug(server)}`;
const callersOf = (server: string): string => `trp-mcp/caller-pins/${slug(server)}/`;

/** Where what a server shows to one caller is kept. */
export function callerPlace(server: string, caller: string): string {
  return callersOf(server) + sha256({ caller });
}

/** All places of a server. */
async function placesOf({ blobs }: Pick<PinStore, "blobs">, server: string): Promise<string[]> {
  const places = [placeOf(server)];
  for await (const place of blobs.list(callersOf(server))) places.push(place);
  return places;
}

/** The tools of a server as they were seen, in a store. Methods reject when the store does. */
export class Pins {
  readonly #store: PinStore;
  readonly #server: string;
  readonly #place: string;

  /** `place`: where they are kept. Default: that of the list which is the same for all. */
  constructor(store: PinStore, server: string, place: string = placeOf(server)) {
    this.#store = store;
    this.#server = server;
    this.#place = place;
  }

  /**
   * Returns what is known of the tools that a server lists now, by their names, and what has changed. What is seen for the first time is
   * kept, and each change has its row in the audit log before it counts: one that was interrupted may have two.
   */
  async look(
    tools: readonly Pick<SeenTool, "sent" | "judged">[],
  ): Promise<{ pinned: Map<string, PinnedTool>; changes: Change[] }> {
    const known = await readPins(this.#store, this.#place);
    const changes: Change[] = [];
    const names = new Set(tools.map(({ sent }) => sent.name));
    const gone = [...(known?.values() ?? [])].filter(({ name }) => !names.has(name));
    const next = new Map<string, Pin>();
    for (const { sent, judged } of tools) {
      const { name } = sent;
      const facts = { name, seen: digestOf(sent), schema: schemaOf(sent), judged };
      const before = known?.get(name);
      if (known === undefined) next.set(name, { ...facts, accepted: facts.seen, floor: judged });
      else if (before === undefined) {
        next.set(name, { ...facts, floor: stricter(judged, unknownTool) });
        changes.push(
          arrival(
            name,
            gone.find(({ schema }) => schema === facts.schema),
          ),
        );
      } else {
        next.set(name, changed(before, facts));
        if (before.seen !== facts.seen) changes.push(change(name, before, facts));
      }
    }
    // Those that were accepted are known when they come back.
    for (const pin of gone) if (pin.accepted !== undefined) next.set(pin.name, pin);
    if (known === undefined || canonicalJson([...next.values()]) !== canonicalJson([...known.values()])) {
      await this.#note(changes, [...next.values()], known);
      await this.#write([...next.values()]);
    }
    const pinned = tools.map(({ sent, judged }): [string, PinnedTool] => {
      const { accepted, seen, floor } = next.get(sent.name) as Pin;
      return [
        sent.name,
        accepted === seen ? { judged, accepted: true } : { judged: stricter(judged, floor), accepted: false },
      ];
    });
    return { pinned: new Map(pinned), changes };
  }

  /** Accepts a tool, or all, as seen last. Returns the names of those that were not accepted before. */
  async accept(what: string, options: AcceptOptions): Promise<string[]> {
    const { tool, by } = checkAccept(what, options);
    const known = (await readPins(this.#store, this.#place)) ?? new Map<string, Pin>();
    const waiting = [...known.values()].filter((pin) => pin.accepted !== pin.seen && (tool ?? pin.name) === pin.name);
    if (waiting.length > 0) {
      const changes = waiting.map(({ name }) => ({ kind: "accepted" as const, tool: name }));
      await this.#note(changes, [...known.values()], known, by);
      for (const pin of waiting) known.set(pin.name, { ...pin, accepted: pin.seen, floor: pin.judged });
      await this.#write([...known.values()]);
    }
    return waiting.map(({ name }) => name);
  }

  async #write(tools: readonly Pin[]): Promise<void> {
    const text = JSON.stringify({ server: this.#server, tools });
    await this.#store.blobs.put(this.#place, new TextEncoder().encode(text));
  }

  /** Writes the rows about changes: what of, and the digests of what the tool was accepted as and of what it is now. */
  async #note(
    changes: readonly { kind: Change["kind"] | "accepted"; tool: string }[],
    now: readonly Pin[],
    before: ReadonlyMap<string, Pin> | undefined,
    decidedBy?: string,
  ): Promise<void> {
    if (changes.length === 0) return;
    const names = toolNames(
      this.#server,
      now.map(({ name }) => name),
    );
    const entries = changes.map(({ kind, tool }) => {
      const known = before?.get(tool);
      const earlier = decidedBy === undefined ? known?.seen : known?.accepted;
      const fields = {
        ...{ mcp_server: this.#server, mcp_tool: tool, change: kind },
        ...(earlier !== undefined && { digest_before: earlier }),
        digest: (now.find(({ name }) => name === tool) as Pin).seen,
      };
      return changeEntry({ capId: (names.get(tool) as { capId: string }).capId, decidedBy, fields });
    });
    await this.#store.audit.append(entries);
  }
}

/** Undefined when the server was never seen. What can't be read is as if all of its tools were new. */
async function readPins({ blobs }: Pick<PinStore, "blobs">, place: string): Promise<Map<string, Pin> | undefined> {
  const bytes = await blobs.get(place);
  if (bytes === undefined) return undefined;
  const kept = parseJson(new TextDecoder().decode(bytes));
  const pins = isObject(kept) && Array.isArray(kept.tools) ? (kept.tools as Pin[]) : [];
  return new Map(pins.map((pin) => [pin.name, pin]));
}

/** What is accepted, and who does. */
export interface AcceptOptions {
  /** Default: all tools of the server. */
  tool?: string | undefined;
  /** Their id, for the audit log. */
  by: string;
}

/**
 * Accepts a tool of a server, or all, as the server listed it last: also for a gateway that runs elsewhere on the store. Returns the names of
 * those that had changed or come since. Rejects when the store does.
 */
export async function acceptTools(store: PinStore, server: string, options: AcceptOptions): Promise<string[]> {
  checkAccept("acceptTools", options);
  const accepted = new Set<string>();
  for (const place of await placesOf(store, server)) {
    for (const tool of await new Pins(store, server, place).accept("acceptTools", options)) accepted.add(tool);
  }
  return [...accepted];
}

/**
 * Returns the names of a server's tools, by the ids of their capabilities, as they were seen by whoever imported them on the store last.
 * Empty for a server that was never seen, or only with `pin: "off"`. Rejects when the store does.
 */
export async function seenTools(store: Pick<PinStore, "blobs">, server: string): Promise<Map<string, string>> {
  const pins = await Promise.all((await placesOf(store, server)).map((place) => readPins(store, place)));
  const names = toolNames(server, [...new Set(pins.flatMap((known) => [...(known?.keys() ?? [])]))]);
  return new Map([...names].map(([tool, { capId }]) => [capId, tool]));
}

function checkAccept(what: string, options: AcceptOptions): AcceptOptions {
  checkKeys(what, options, "tool:text by:text");
  if (options.by === undefined) throw new TypeError(`${what}: by is missing; it names who accepts`);
  return options;
}

type Facts = Pick<Pin, "name" | "seen" | "schema" | "judged">;

function changed(before: Pin, facts: Facts): Pin {
  const { accepted } = before;
  const isAccepted = accepted === facts.seen;
  const floor = isAccepted ? facts.judged : stricter(before.floor, facts.judged);
  return { ...facts, ...(accepted !== undefined && { accepted }), floor };
}

function arrival(name: string, like: Pin | undefined): Change {
  if (like === undefined) {
    return { kind: "added", tool: name, message: "The tool is new since the first sight of its server." };
  }
  const message = `The tool has the schema of ${JSON.stringify(like.name)}, which is gone. It counts as a new one.`;
  return { kind: "renamed", tool: name, message };
}

function change(name: string, before: Pin, now: Facts): Change {
  const parts = [
    before.schema !== now.schema && "its input schema",
    canonicalJson(before.judged) !== canonicalJson(now.judged) && "what its annotations say",
  ].filter(Boolean);
  const what = parts.length > 0 ? parts.join(" and ") : "its description";
  return { kind: "changed", tool: name, message: `The tool has changed since it was last seen: ${what}.` };
}

function digestOf({ name, title, description, inputSchema, outputSchema, annotations }: JsonObject): string {
  return sha256({ name, title, description, inputSchema, outputSchema, annotations });
}

const schemaOf = ({ inputSchema, outputSchema }: JsonObject): string => sha256({ inputSchema, outputSchema });

function sha256(value: object): string {
  return createHash("sha256").update(canonicalJson(value)).digest("base64url");
}
