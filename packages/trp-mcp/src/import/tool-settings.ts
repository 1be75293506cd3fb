import { checkKeys, isJson, isObject, wildcardTest } from "@toolglot/internal";
import type { RepeatRule, ToolSettings } from "../types.ts";
import { effectOf } from "./risk.ts";

/** What a call gets whose effect was there before, unless it is said otherwise. */
export const defaultRepeat: RepeatRule = { mode: "window", windowMs: 600_000 };

/** Throws `TypeError` for settings that can't be meant so. `what`: where they stand. */
export function checkToolSettings(what: string, settings: ToolSettings): void {
  checkKeys(what, settings, [
    'risk:"LOW"|"MEDIUM"|"HIGH"|"CRITICAL" io:"READ"|"WRITE" effect:"pure"|"idempotent"|"keyed"|"probe"|"opaque" effectKey:text repeat:object',
    "timeoutMs:size hidden:boolean downstreamKeyIn:text approvers:string[] probe:object",
  ]);
  const fail = (problem: string): never => {
    throw new TypeError(`${what}: ${problem}`);
  };
  const { io, risk, repeat, probe, downstreamKeyIn } = settings;
  if (repeat !== undefined) checkRepeat(`${what}.repeat`, repeat);
  const effect = effectOf(settings);
  if ((effect === "probe") !== (probe !== undefined)) fail('effect "probe" and probe go together');
  if ((effect === "keyed") !== (downstreamKeyIn !== undefined)) fail('effect "keyed" and downstreamKeyIn go together');
  if (downstreamKeyIn !== undefined && !/^(?:_meta)?\/[^/]/.test(downstreamKeyIn)) {
    fail(`downstreamKeyIn is a JSON pointer into the arguments, as "/idempotencyKey", or "_meta/NAME"`);
  }
  if (probe !== undefined) {
    // Any JSON is what may be found there.
    const { equals = null, ...where } = probe;
    checkKeys(`${what}.probe`, where, "tool:text arguments:object found:string", ["tool", "arguments", "found"]);
    if (!isObject(probe.arguments)) fail("probe.arguments is an object");
    if (!isJson(equals)) fail("probe.equals is JSON");
    if (probe.found !== "" && !probe.found.startsWith("/")) fail('probe.found is a JSON pointer, as "/refund/id"');
  }
  if (io === "READ" && risk === "LOW" && effect !== undefined && effect !== "pure" && effect !== "idempotent") {
    fail(`a READ of LOW risk may be run again at any time, so its effect is "pure" or "idempotent", not "${effect}"`);
  }
}

/** Throws `TypeError` for a rule that can't be meant so. */
export function checkRepeat(what: string, repeat: RepeatRule): void {
  checkKeys(what, repeat, 'mode:"window"|"in-doubt"|"free" windowMs:count', ["mode"]);
}

/** Returns a test for names: all when there are no patterns. */
export function anyOf(patterns: readonly string[] | undefined): ((name: string) => boolean) | undefined {
  const tests = patterns?.map(wildcardTest);
  return tests && ((name) => tests.some((test) => test(name)));
}

/**
 * Returns what is said of a tool: of all patterns that fit, those that stand later count more, and the tool's own name most. Members are
 * taken one by one.
 */
export function makeSettings(tools: Readonly<Record<string, ToolSettings>>): (name: string) => ToolSettings {
  const patterns = Object.entries(tools).map(([pattern, settings]) => ({ fits: wildcardTest(pattern), settings }));
  return (name) => {
    const fitting = patterns.filter(({ fits }) => fits(name)).map(({ settings }) => settings);
    return Object.assign({}, ...fitting, Object.hasOwn(tools, name) ? tools[name] : {}) as ToolSettings;
  };
}
