import type { JsonObject } from "@toolglot/core";
import { copyJson, ignoreRejection } from "@toolglot/internal";
import type { MaybePromise } from "@toolglot/schema";
import type { ArgumentCheck, RegisteredCapability } from "../catalog/types.ts";
import { type Fault, fault } from "../frames/fault.ts";
import type { Principal } from "../identity/types.ts";
import { createSafetyRules, type SafetyRules } from "./safety.ts";

/** How many faults one answer names. */
const maxNamed = 5;
const maxMessage = 1_000;

/** Arguments without a fault. */
export interface CheckedArguments {
  /** After defaults. */
  args: JsonObject;
  /** Whether they are equal to those that were sent. */
  isAsSent: boolean;
}

const standardSafety: SafetyRules = createSafetyRules();

/**
 * Checks arguments in three layers (TRP v0.1 draft, 10.3): structure by the schema, meaning by the capability's own rules,
 * safety by `safety` (default: `createSafetyRules()`). A layer is checked only when the one before has found nothing.
 * Returns the arguments after defaults, as a copy of their own, or TRP_2001 whose message names place and rule of up to five
 * faults and no value. A rule that throws, or answers with something else than text or nothing, is a fault of the
 * capability (TRP_5001). A promise only when the schema library checks asynchronously; never throws, never rejects.
 */
export function checkArguments(
  capability: RegisteredCapability,
  args: unknown,
  principal: Principal,
  safety: SafetyRules = standardSafety,
): MaybePromise<CheckedArguments | Fault> {
  try {
    const checked = capability.validate(args);
    if (checked instanceof Promise) {
      return checked.then(
        (settled) => conclude(capability, args, settled, principal, safety),
        () => broken(capability, "schema"),
      );
    }
    return conclude(capability, args, checked, principal, safety);
  } catch {
    return broken(capability, "schema");
  }
}

function conclude(
  capability: RegisteredCapability,
  sent: unknown,
  checked: ArgumentCheck,
  principal: Principal,
  safety: SafetyRules,
): CheckedArguments | Fault {
  if (!checked.success) return refused(checked.issues);
  const isAsSent = checked.args === sent && !capability.hasLibrary;
  const args = isAsSent ? checked.args : copyJson(checked.args);
  const { rules } = capability.definition;
  if (rules !== undefined && rules.length > 0) {
    const problems: string[] = [];
    for (const rule of rules) {
      let said: unknown;
      try {
        // With a copy: a rule looks, and does not touch.
        said = rule.check(copyJson(args), principal);
      } catch {
        return broken(capability, rule.name);
      }
      if (said === undefined || said === null) continue;
      if (typeof said !== "string") {
        ignoreRejection(said);
        return broken(capability, rule.name);
      }
      problems.push(`${said.trim() || "refused"} (rule ${rule.name})`);
    }
    if (problems.length > 0) return refused(problems);
  }
  const faults = safety.check(args, capability.schema);
  if (faults.length === 0) return { args, isAsSent };
  return refused(faults.map(({ path, rule, message }) => `${path === "" ? "" : `${path}: `}${message} (rule ${rule})`));
}

function refused(problems: readonly string[]): Fault {
  const named = problems.slice(0, maxNamed);
  const more = problems.length - named.length;
  const text = `${named.join("; ")}${more > 0 ? `; and ${more} more` : ""}`;
  return fault("TRP_2001", text.length > maxMessage ? `${text.slice(0, maxMessage - 1)}…` : text);
}

function broken(capability: RegisteredCapability, rule: string): Fault {
  return fault("TRP_5001", `the arguments of ${capability.capId} could not be checked (rule ${rule})`);
}
