import { defineCapability } from "../src/catalog/define-capability.ts";
import type { AnyCapability, Effect, ExecuteContext } from "../src/catalog/types.ts";

/** Where effects happen: outside of every router. */
export class World {
  /** Operation keys in order of their effects; repeated effects are repeated. */
  readonly ledger: string[] = [];
  /** What downstream remembers of keys, for `keyed` capabilities. */
  readonly seen = new Set<string>();
  executions = 0;

  apply(key: string): void {
    this.ledger.push(key);
  }

  /** As a downstream that takes keys does it. */
  applyOnce(key: string): void {
    if (this.seen.has(key)) return;
    this.seen.add(key);
    this.ledger.push(key);
  }

  effectsOf(key: string): number {
    return this.ledger.filter((each) => each === key).length;
  }
}

export interface NoteOptions {
  effect?: Effect;
  /** Runs before the effect. */
  before?: (context: ExecuteContext) => unknown;
  /** Runs after it. */
  after?: (context: ExecuteContext) => unknown;
  more?: Partial<AnyCapability>;
}

/** A WRITE that puts its `text` into the world. */
export function note(world: World, options: NoteOptions = {}): AnyCapability {
  const { effect = "opaque", before, after, more = {} } = options;
  return defineCapability({
    capId: "cap.note.add.v1",
    name: "add_note",
    description: "Adds a note.",
    riskTier: "MEDIUM",
    ioClass: "WRITE",
    effect,
    args: { text: "string" },
    async execute({ text }: { text: string }, context: ExecuteContext) {
      world.executions += 1;
      await before?.(context);
      const key = context.operationKey ?? "";
      if (effect === "keyed" || effect === "idempotent") world.applyOnce(key);
      else if (effect !== "pure") world.apply(key);
      await after?.(context);
      return { text, attempt: context.attempt };
    },
    ...(effect === "probe"
      ? {
          probe: async (_args: unknown, context: ExecuteContext) =>
            world.effectsOf(context.operationKey ?? "") > 0
              ? { state: "done" as const, value: { probed: true } }
              : { state: "not-applied" as const },
        }
      : {}),
    ...more,
  } as AnyCapability);
}

/** A LOW READ: needs no key. */
export function look(more: Partial<AnyCapability> = {}): AnyCapability {
  return defineCapability({
    capId: "cap.note.read.v1",
    name: "read_notes",
    description: "Reads the notes.",
    riskTier: "LOW",
    ioClass: "READ",
    effect: "pure",
    args: { type: "object", properties: { about: { type: "string" } } },
    execute: ({ about }: { about?: string }) => ({ about: about ?? "all" }),
    ...more,
  } as AnyCapability);
}

export const add = (text = "hello", more: Record<string, unknown> = {}) =>
  ({ cap_id: "cap.note.add.v1", args: { text }, ...more }) as const;
export const read = (more: Record<string, unknown> = {}) =>
  ({ cap_id: "cap.note.read.v1", args: {}, ...more }) as const;
