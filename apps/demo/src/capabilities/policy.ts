import { createPolicy, type PolicyEngine } from "@toolglot/trp-core";

/**
 * The default policy, and one rule of the shop's own: no query may ask for more than 200 rows. The schema takes up to 500:
 * what is possible is not what is allowed.
 */
export function demoPolicy(): PolicyEngine {
  return createPolicy({
    version: "demo-1",
    rules: [
      {
        id: "sql-row-limit",
        decision: "deny",
        reason: "a query may ask for 200 rows at most: lower limit, or group and filter more",
        which: { families: ["cap.query.sql_read"] },
        args: [{ at: "/limit", greaterThan: 200 }],
      },
    ],
  });
}
