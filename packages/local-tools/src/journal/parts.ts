import type { Owner } from "@toolglot/internal/node";
import type { Roots } from "../files/roots.ts";
import type { Reach } from "./points.ts";
import type { NamesIn } from "./record.ts";
import type { Records } from "./records.ts";

export interface Parts {
  roots: Roots;
  records: Records;
  owner: Owner;
  /** Names of values in a text; undefined without any. */
  namesIn: NamesIn | undefined;
  reach: Reach;
  /** Whether extended attributes and access-control lists outlive a change. */
  keepAttributes: boolean;
}
