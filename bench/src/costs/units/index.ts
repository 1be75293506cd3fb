import { noServer } from "../../postgres/server.ts";
import type { Unit } from "../meter.ts";

type Group = { units(folder: string): Unit[] };

/** Why a group can't be measured on this machine. */
export const missing: Readonly<Record<string, (root: string) => Promise<string | undefined>>> = { postgres: noServer };

/** Everything that a user pays for, in units that a user counts in. A process that measures one loads no more than it needs. */
export const groups: Readonly<Record<string, () => Promise<Group>>> = {
  parsers: () => import("./parsers.ts"),
  router: () => import("./router.ts"),
  once: () => import("./once.ts"),
  postgres: () => import("./postgres.ts"),
  sandbox: () => import("./sandbox.ts"),
  local: () => import("./local.ts"),
  agent: () => import("./agent.ts"),
  toolkit: () => import("./toolkit.ts"),
};
