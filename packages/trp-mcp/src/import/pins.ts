import { createHash } from "node:crypto";
import type { JsonObject, JsonSchemaObject } from "@toolglot/core";
import type { Storage } from "@toolglot/core/storage";
import { canonicalJson, isObject, parseJson } from "@toolglot/internal";
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

type Blobs = Storage["blobs"];

/** Where the tools of a server are kept. */
const placeOf = (server: string): string => `trp-mcp/pins/${slug(server)}`;

/** The tools of a server as they were seen, in a store. Methods reject when the store does. */
export class Pins {
  readonly #blobs: Blobs;
  readonly #server: string;

  constructor(blobs: Blobs, server: string) {
    this.#blobs = blobs;
    this.#server = server;
  }

  /**
   * Returns what is known of the tools that a server lists now, by their names, and what has changed. What is seen for the first time is
   * kept.
   */
  async look(
    tools: readonly Pick<SeenTool, "sent" | "judged">[],
  ): Promise<{ pinned: Map<string, PinnedTool>; changes: Omit<ImportNotice, "server">[] }> {
    const known = await this.#read();
    const changes: Omit<ImportNotice, "server">[] = [];
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
  async accept(tool?: string): Promise<string[]> {
    const known = (await this.#read()) ?? new Map<string, Pin>();
    const waiting = [...known.values()].filter((pin) => pin.accepted !== pin.seen && (tool ?? pin.name) === pin.name);
    for (const pin of waiting) known.set(pin.name, { ...pin, accepted: pin.seen, floor: pin.judged });
    if (waiting.length > 0) await this.#write([...known.values()]);
    return waiting.map(({ name }) => name);
  }

  /** Returns the names of the tools as seen last, and of those that were accepted and are gone. */
  async names(): Promise<string[]> {
    return [...((await this.#read())?.keys() ?? [])];
  }

  /** Undefined when the server was never seen. What can't be read is as if all of its tools were new. */
  async #read(): Promise<Map<string, Pin> | undefined> {
    const bytes = await this.#blobs.get(placeOf(this.#server));
    if (bytes === undefined) return undefined;
    const kept = parseJson(new TextDecoder().decode(bytes));
    const pins = isObject(kept) && Array.isArray(kept.tools) ? (kept.tools as Pin[]) : [];
    return new Map(pins.map((pin) => [pin.name, pin]));
  }

  async #write(tools: readonly Pin[]): Promise<void> {
    const text = JSON.stringify({ server: this.#server, tools });
    await this.#blobs.put(placeOf(this.#server), new TextEncoder().encode(text));
  }
}

/**
 * Accepts a tool of a server, or all, as the server listed it last: also for a gateway that runs elsewhere on the store. Returns the names of
 * those that had changed or come since. Rejects when the store does.
 */
export function acceptTools(store: Pick<Storage, "blobs">, server: string, tool?: string): Promise<string[]> {
  return new Pins(store.blobs, server).accept(tool);
}

/**
 * Returns the names of a server's tools, by the ids of their capabilities, as they were seen by whoever imported them on the store last.
 * Empty for a server that was never seen, or only with `pin: "off"`. Rejects when the store does.
 */
export async function seenTools(store: Pick<Storage, "blobs">, server: string): Promise<Map<string, string>> {
  const names = toolNames(server, await new Pins(store.blobs, server).names());
  return new Map([...names].map(([tool, { capId }]) => [capId, tool]));
}

type Facts = Pick<Pin, "name" | "seen" | "schema" | "judged">;

function changed(before: Pin, facts: Facts): Pin {
  const { accepted } = before;
  const isAccepted = accepted === facts.seen;
  const floor = isAccepted ? facts.judged : stricter(before.floor, facts.judged);
  return { ...facts, ...(accepted !== undefined && { accepted }), floor };
}

function arrival(name: string, like: Pin | undefined): Omit<ImportNotice, "server"> {
  if (like === undefined) {
    return { kind: "added", tool: name, message: "The tool is new since the first sight of its server." };
  }
  const message = `The tool has the schema of ${JSON.stringify(like.name)}, which is gone. It counts as a new one.`;
  return { kind: "renamed", tool: name, message };
}

function change(name: string, before: Pin, now: Facts): Omit<ImportNotice, "server"> {
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
