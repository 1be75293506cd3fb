import { createHash } from "node:crypto";
import type { JsonObject, OperationRecord } from "@toolglot/core";
import { canonicalJson } from "@toolglot/internal";
import type { Principal } from "@toolglot/trp-core";
import { familyOf, operationOf, type RouterStore } from "@toolglot/trp-core/store";
import { fillTemplate } from "../fill-template.ts";
import type { ImportedTool } from "../types.ts";

// A model has no keys, so the effect of a write is named by its arguments: the same effect asked for again has the same key, and a router
// does a key once. An effect that is wanted again (its window is over, it failed, or somebody insists) goes by the next key of the same
// name: `fx1:…`, `fx1:…:1`, `fx1:…:2`. Which one counts follows from the records of the operations, so any number of processes agree; the
// number is kept as well, since records are forgotten in the end.

/** The key that a call has now, and what is known of its operation. */
export interface EffectKey {
  key: string;
  /** Which of the keys of this effect. */
  turn: number;
  record: OperationRecord | undefined;
}

/** Which effect, of which caller. */
export interface NamedEffect {
  tool: ImportedTool;
  principal: Principal;
  /** `fx1:` and a digest. */
  name: string;
}

/** More keys of one effect than anybody has asked for in the time that operations are remembered. */
const maxTurns = 100_000;
const maxRemembered = 10_000;
const folder = "gateway/effects/";

/** The form of the keys that are made here. */
export const effectKeyForm: RegExp = /^fx1:[\w-]{43}(?::\d+)?$/;

/** Returns the name of a call's effect; undefined when an argument of the tool's `effectKey` is missing. */
export function effectName({ settings }: ImportedTool, args: JsonObject): string | undefined {
  const text = settings.effectKey === undefined ? canonicalJson(args) : fillTemplate(settings.effectKey, args);
  return text === undefined ? undefined : `fx1:${createHash("sha256").update(text).digest("base64url")}`;
}

/** Finds the keys of effects. */
export class EffectKeys {
  readonly #store: RouterStore;
  /** The last known turn by the effect's place in the store, the one that was used last at the end. */
  readonly #turns = new Map<string, number>();

  constructor(store: RouterStore) {
    this.#store = store;
  }

  /**
   * Returns the key that a call for this effect has. `anew`: what is done counts as over at once. `since`: what was done since then does
   * not. Rejects when the store does.
   */
  async current(effect: NamedEffect, anew = false, since?: number): Promise<EffectKey> {
    const place = placeOf(effect);
    const known = this.#turns.get(place) ?? (await this.#kept(place));
    // Meanwhile others may have asked for the effect once more.
    const first = since === undefined ? known : Math.max(0, known - 1);
    for (let turn = first; turn < known + maxTurns; turn++) {
      const key = keyOf(effect.name, turn);
      const record = await this.#read(effect, key);
      const isOwn = record?.state === "done" && since !== undefined && (record.finishedAt ?? 0) >= since;
      if (record !== undefined && !isOwn && isOver(record, effect.tool, anew, this.#store.now())) continue;
      // Nothing is known any more of what is before the turn that counts.
      if (record === undefined && turn < known) continue;
      await this.#keep(place, turn, known);
      return { key, turn, record };
    }
    throw new Error(`more than ${maxTurns} calls with the same effect`);
  }

  /** The key after one whose outcome is forgotten. */
  async after(effect: NamedEffect, turn: number): Promise<void> {
    const place = placeOf(effect);
    await this.#keep(place, turn + 1, turn);
  }

  /** When the effect was done last before this turn. */
  async lastDone(effect: NamedEffect, turn: number): Promise<OperationRecord | undefined> {
    if (turn === 0) return undefined;
    const record = await this.#read(effect, keyOf(effect.name, turn - 1));
    return record?.state === "done" ? record : undefined;
  }

  #read({ tool, principal }: NamedEffect, key: string): Promise<OperationRecord | undefined> {
    const who = { tenant: principal.tenant, principal: principal.id };
    return this.#store.operations.read(operationOf(who, familyOf(tool.capId), key));
  }

  async #kept(place: string): Promise<number> {
    const bytes = await this.#store.blobs.get(folder + place);
    const turn: unknown = bytes && (JSON.parse(new TextDecoder().decode(bytes)) as { turn?: unknown }).turn;
    return typeof turn === "number" ? turn : 0;
  }

  async #keep(place: string, turn: number, known: number): Promise<void> {
    this.#turns.delete(place);
    this.#turns.set(place, turn);
    if (this.#turns.size > maxRemembered) {
      for (const oldest of this.#turns.keys()) {
        this.#turns.delete(oldest);
        break;
      }
    }
    if (turn === known) return;
    // A slower process may put an earlier turn in its place: the next reader goes on from there.
    const kept = JSON.stringify({ turn, at: this.#store.now() });
    await this.#store.blobs.put(folder + place, new TextEncoder().encode(kept));
  }
}

/** Deletes the numbers of effects that nobody asked for in this time. Returns how many. */
export async function forgetEffects(store: RouterStore, olderThanMs: number): Promise<number> {
  let count = 0;
  for await (const name of store.blobs.list(folder)) {
    const bytes = await store.blobs.get(name);
    const at: unknown = bytes && (JSON.parse(new TextDecoder().decode(bytes)) as { at?: unknown }).at;
    if (typeof at !== "number" || at + olderThanMs > store.now()) continue;
    await store.blobs.delete(name);
    count++;
  }
  return count;
}

function placeOf({ tool, principal, name }: NamedEffect): string {
  const text = canonicalJson([principal.tenant, principal.id, familyOf(tool.capId), name]);
  return createHash("sha256").update(text).digest("hex");
}

function keyOf(name: string, turn: number): string {
  return turn === 0 ? name : `${name}:${turn}`;
}

/** Whether a call for the same effect is another operation than the one of this record. */
function isOver(
  { state, finishedAt = 0 }: OperationRecord,
  { effect, repeat }: ImportedTool,
  anew: boolean,
  now: number,
): boolean {
  switch (state) {
    // Models repair a call and try again.
    case "failed":
      return true;
    case "done": {
      const isHarmless = effect === "pure" || effect === "idempotent";
      return anew || isHarmless || repeat.mode !== "window" || finishedAt + repeat.windowMs <= now;
    }
    case "in-doubt":
      return !anew && repeat.mode === "free";
    // It runs, or somebody has said that it never happened: then the key is free.
    default:
      return false;
  }
}
