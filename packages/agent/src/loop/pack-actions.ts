import type { Action, PlanAction } from "@toolglot/core";
import { fromBase64, toBase64 } from "@toolglot/internal";

/** Values of a plan that are bytes, by step (-1: what all steps share) and name. */
type PackedBytes = [step: number, name: string, base64: string][];

/** Actions as JSON. */
export interface PackedActions {
  actions: Action[];
  /** By the number of the action. */
  bytes?: Record<number, PackedBytes>;
}

/** Returns actions as JSON: bytes, which plans may hold, apart. */
export function packActions(actions: readonly Action[]): PackedActions {
  const bytes: Record<number, PackedBytes> = {};
  const packed = actions.map((action, index) => {
    const found = action.kind === "plan" ? places(action).filter(([, , value]) => value instanceof Uint8Array) : [];
    if (action.kind !== "plan" || found.length === 0) return action;
    bytes[index] = found.map(([step, name, value]) => [step, name, toBase64(value as Uint8Array)]);
    return withValues(
      action,
      found.map(([step, name]) => [step, name, null]),
    );
  });
  return { actions: packed, ...(Object.keys(bytes).length > 0 && { bytes }) };
}

/** Returns the actions as they were. */
export function unpackActions({ actions, bytes = {} }: PackedActions): Action[] {
  return actions.map((action, index) => {
    const packed = bytes[index];
    if (action.kind !== "plan" || packed === undefined) return action;
    return withValues(
      action,
      packed.map(([step, name, base64]) => [step, name, fromBase64(base64)]),
    );
  });
}

type Place = [step: number, name: string, value: unknown];

function places({ plan }: PlanAction): Place[] {
  const of = (step: number, values: Readonly<Record<string, unknown>>): Place[] =>
    Object.entries(values).map(([name, value]) => [step, name, value]);
  return [...of(-1, plan.common), ...plan.steps.flatMap(({ params }, step) => of(step, params))];
}

function withValues(action: PlanAction, values: readonly Place[]): PlanAction {
  const put = (step: number, before: Record<string, unknown>): Record<string, unknown> => ({
    ...before,
    ...Object.fromEntries(values.filter(([at]) => at === step).map(([, name, value]) => [name, value])),
  });
  const { plan } = action;
  const steps = plan.steps.map((one, step) => ({ ...one, params: put(step, one.params) }));
  return { ...action, plan: { ...plan, common: put(-1, plan.common), steps } };
}
