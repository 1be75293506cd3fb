import * as v from "valibot";
import {
  effect,
  flag,
  glob,
  ioClass,
  json,
  matching,
  object,
  oneOf,
  opt,
  pointer,
  riskTier,
  some,
  text,
  whole,
} from "./schema-words.ts";
import type { PolicySettings } from "./settings.ts";

const moment = matching(
  /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?(?:Z|[+-]\d\d:\d\d)$/,
  "a time with its zone, as 2026-12-24T00:00:00Z",
);

// What a policy may say is `createPolicy`'s to check. For editors the same as a schema; a test holds the two together.
const rule = object({
  id: matching(/^[\w.:-]{1,64}$/, "1 to 64 letters, digits, or . _ : -"),
  decision: oneOf("allow", "deny", "approve"),
  via: opt(oneOf("page")),
  reason: opt(matching(/^[\s\S]{1,500}$/, "a sentence of at most 500 characters")),
  who: opt(
    object({
      tenants: opt(some(text)),
      principals: opt(some(text)),
      roles: opt(some(text)),
      withoutRoles: opt(some(text)),
      canDelete: opt(flag),
    }),
  ),
  which: opt(
    object({
      capIds: opt(some(glob)),
      families: opt(some(glob)),
      riskTiers: opt(some(riskTier)),
      ioClass: opt(ioClass),
      effects: opt(some(effect)),
    }),
  ),
  args: opt(
    some(
      object({
        at: pointer,
        not: opt(flag),
        exists: opt(flag),
        equals: opt(json),
        in: opt(some(json)),
        greaterThan: opt(v.number("a number")),
        lessThan: opt(v.number("a number")),
        matches: opt(some(glob)),
        maxLength: opt(whole(0)),
      }),
    ),
  ),
  when: opt(
    object({
      weekdays: opt(some(oneOf("mon", "tue", "wed", "thu", "fri", "sat", "sun"))),
      hours: opt(object({ from: whole(0, 24), to: whole(0, 24) })),
      notBefore: opt(moment),
      notAfter: opt(moment),
    }),
  ),
  rate: opt(
    object({
      limit: whole(1),
      windowMs: whole(1),
      per: opt(v.array(oneOf("tenant", "principal", "capability"), "a list")),
      shared: opt(flag),
    }),
  ),
});

const version = matching(/^[\s\S]{1,64}$/, "text of 1 to 64 characters, as 2026-11-21");
const fallback = oneOf("default", "deny");

export const policySchema: v.GenericSchema<unknown, PolicySettings> = object({
  $schema: opt(text),
  version,
  rules: v.array(rule, "a list of rules"),
  fallback: opt(fallback),
}) as v.GenericSchema as v.GenericSchema<unknown, PolicySettings>;

/** What a policy has around its rules. */
export const policyFields: v.GenericSchema<unknown, Omit<PolicySettings, "rules">> = v.object(
  { version, fallback: opt(fallback) },
  "an object with version and rules",
);
