import { ownRun } from "../../agent/runs.ts";
import type { Unit } from "../meter.ts";

export const units = (): Unit[] => [{ name: "an agent's turn", ready: () => ({ once: () => ownRun(20), times: 20 }) }];
