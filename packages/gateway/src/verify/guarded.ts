import { join } from "node:path";
import type { ImportedTool } from "@toolglot/trp-mcp";
import { approverOf, inScratch, type Rig, type Subject, subjects, type VerifiedConfig } from "./rig.ts";
import { type Finding, fail, notApplicable } from "./types.ts";

/** What is said where nothing can be called whose effect must not happen twice. */
export const nothingGuarded: Finding = notApplicable("no WRITE whose effect must not happen twice may be called");

/** Calls whose effect must not happen twice, one of each kind; those that are run unasked first. */
export async function guardedSubjects(rig: Rig): Promise<Subject[]> {
  const all = (await subjects(rig)).filter(
    ({ tool, decision }) => decision !== "deny" && (tool.effect === "opaque" || tool.effect === "keyed"),
  );
  const kinds = new Map<string, Subject>();
  for (const subject of all.sort((one, other) => one.decision.localeCompare(other.decision))) {
    const kind = `${subject.tool.repeat.mode} ${subject.tool.effect}`;
    if (!kinds.has(kind)) kinds.set(kind, subject);
  }
  return [...kinds.values()];
}

/** What is said of a tool whose owner does not want the guarantee. */
export function givenUp({ server, tool }: ImportedTool): string {
  return `repeat "free" of ${server}/${tool} gives this guarantee up`;
}

/** Runs a check with the file of a store; undefined where the configuration wants one in memory. */
export function onStore(
  { settings }: VerifiedConfig,
  check: (file: string | undefined) => Promise<Finding>,
): Promise<Finding> {
  return inScratch((folder) => check(settings.store === "memory" ? undefined : join(folder, "gateway.db")));
}

/** Has a call approved that is to be made later, where a person is asked about it. What is returned went wrong. */
export async function approveBefore(
  rig: Rig,
  { tool, caller, decision }: Subject,
  args: Parameters<Rig["calls"]["call"]>[0]["arguments"],
): Promise<Finding | undefined> {
  if (decision !== "approve") return undefined;
  const { approvalId, status } = (await rig.calls.call({ tool, arguments: args }, { caller })).outcome;
  if (approvalId === undefined) return fail(`${tool.shownName} was answered ${status}, and nobody was asked`);
  await rig.router.approvals.approve(approverOf(tool, caller.principal), approvalId);
  return undefined;
}
