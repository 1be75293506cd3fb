import type { Roots } from "../roots/roots.ts";
import type { Owner } from "./owner.ts";
import type { Reach } from "./points.ts";
import type { Records } from "./records.ts";

/** What every step of the journal works with. */
export interface Parts {
  roots: Roots;
  records: Records;
  owner: Owner;
  reach: Reach;
}
