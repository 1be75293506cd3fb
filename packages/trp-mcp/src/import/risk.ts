import { isObject } from "@toolglot/internal";
import type { Effect } from "@toolglot/trp-core";
import type { IoClass, RiskTier } from "@toolglot/trp-core/frames";
import type { ToolSettings } from "../types.ts";

/** What a tool does, and how much harm it may do. */
export interface Judgement {
  io: IoClass;
  risk: RiskTier;
  effect: Effect;
}

const harmless: Judgement = { io: "READ", risk: "LOW", effect: "pure" };
const worst: Judgement = { io: "WRITE", risk: "HIGH", effect: "opaque" };

/** Returns what the annotations of a tool say. What they don't say is as MCP has it: not read-only, destructive, not idempotent. */
export function judge(annotations: unknown, trusted: boolean): Judgement {
  if (!trusted || !isObject(annotations)) return worst;
  if (annotations.readOnlyHint === true) return harmless;
  const effect = annotations.idempotentHint === true ? "idempotent" : "opaque";
  return { io: "WRITE", risk: annotations.destructiveHint === false ? "MEDIUM" : "HIGH", effect };
}

/** Returns the owner's settings of a tool, and for what the owner left out, what it was judged to be. */
export function withSettings(judged: Judgement, settings: Readonly<ToolSettings>): Judgement {
  const effect = effectOf(settings);
  const isWrite = effect !== undefined && effect !== "pure" && effect !== "idempotent";
  const { io = isWrite ? "WRITE" : judged.io } = settings;
  // What is no read has no low risk, unless its owner says so; what is one has no other effect.
  const base =
    io === judged.io ? judged : io === "READ" ? harmless : isWrite ? { ...worst, risk: "MEDIUM" as const } : worst;
  return { io, risk: settings.risk ?? base.risk, effect: effect ?? base.effect };
}

/** Returns the effect that the owner's settings mean. */
export function effectOf({ effect, probe, downstreamKeyIn }: Readonly<ToolSettings>): Effect | undefined {
  return effect ?? (probe ? "probe" : downstreamKeyIn === undefined ? undefined : "keyed");
}

const risks: readonly RiskTier[] = ["LOW", "MEDIUM", "HIGH", "CRITICAL"];
const effects: readonly Effect[] = ["pure", "idempotent", "keyed", "probe", "opaque"];

/** Returns, of each part of two judgements, the one that allows less. */
export function stricter(one: Judgement, other: Judgement): Judgement {
  const later = <Value>(list: readonly Value[], first: Value, second: Value): Value =>
    list.indexOf(first) > list.indexOf(second) ? first : second;
  return {
    io: later(["READ", "WRITE"], one.io, other.io),
    risk: later(risks, one.risk, other.risk),
    effect: later(effects, one.effect, other.effect),
  };
}
