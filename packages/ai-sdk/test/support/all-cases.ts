import { guardMatrix } from "./guard-matrix.ts";
import { matrix } from "./matrix.ts";
import { onceMatrix } from "./once-matrix.ts";
import { rescueMatrix } from "./rescue-matrix.ts";
import type { Ai } from "./ways.ts";

/** All cases for a version of `ai`, by name. */
export const allCases = (ai: Ai, version: "v3" | "v4"): { name: string; run(): Promise<void> }[] =>
  [matrix, guardMatrix, onceMatrix, rescueMatrix].flatMap((cases) => cases(ai, version));
