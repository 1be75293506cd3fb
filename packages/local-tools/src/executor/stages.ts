import type { ToolCall } from "@toolglot/core";

/** Calls that run together; stages run one after another. `indexes` are places in the batch. */
export interface Stage {
  kind: "shell" | "edits" | "side-by-side";
  indexes: number[];
}

const shellCalls: ReadonlySet<string> = new Set(["command", "input", "ctrl"]);

/**
 * In which order a batch runs: each shell call by itself, all edits together where the first of them stands, and everything
 * else beside its neighbours.
 */
export function stagesOf(calls: readonly ToolCall[]): Stage[] {
  const stages: Stage[] = [];
  let edits: Stage | undefined;
  for (const [index, { name }] of calls.entries()) {
    const last = stages.at(-1);
    if (name === "edit") {
      if (edits === undefined) {
        edits = { kind: "edits", indexes: [] };
        stages.push(edits);
      }
      edits.indexes.push(index);
    } else if (shellCalls.has(name)) stages.push({ kind: "shell", indexes: [index] });
    else if (last?.kind === "side-by-side") last.indexes.push(index);
    else stages.push({ kind: "side-by-side", indexes: [index] });
  }
  return stages;
}
