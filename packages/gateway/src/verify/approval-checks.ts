import { principal } from "@toolglot/trp-core";
import {
  approverOf,
  argumentsOf,
  callerOf,
  decisionOf,
  isRepeatable,
  perform,
  type Rig,
  type Subject,
  subjects,
} from "./rig.ts";
import { type Finding, fail, notApplicable, pass } from "./types.ts";

/** Approves one call, and makes another. */
export async function changedApproval(rig: Rig): Promise<Finding> {
  const subject = await asked(rig);
  if (subject === undefined) return nobodyAsked(rig);
  const { tool, caller } = subject;
  const approved = argumentsOf(tool, "1");
  const request = await rig.calls.call({ tool, arguments: approved }, { caller });
  const { approvalId, status } = request.outcome;
  if (rig.ran() > 0) return fail(`${tool.shownName} ran before anybody approved it`);
  if (approvalId === undefined) return fail(`${tool.shownName} was answered ${status}, and nobody was asked`);
  await rig.router.approvals.approve(approverOf(tool, caller.principal), approvalId);
  for (const changed of [argumentsOf(tool, "2"), { ...approved, note: "changed" }]) {
    await rig.calls.call({ tool, arguments: changed }, { caller });
    if (rig.ran() > 0) return fail(`${tool.shownName} ran with other arguments than those that were approved`);
  }
  // What is refused whatever comes would pass, too.
  const { outcome } = await perform(rig, subject, argumentsOf(tool, "3"));
  return rig.ran() === 1 ? pass : fail(`${tool.shownName} did not run with an approval: ${outcome.status}`);
}

/** Uses one approval more than once. */
export async function replayedApproval(rig: Rig): Promise<Finding> {
  const subject = await asked(rig);
  if (subject === undefined) return nobodyAsked(rig);
  const { tool, caller } = subject;
  const args = argumentsOf(tool, "1");
  const { outcome } = await perform(rig, subject, args);
  if (rig.ran() !== 1) return fail(`${tool.shownName} did not run with an approval: ${outcome.status}`);
  const { id, tenant, roles, canDelete } = caller.principal;
  const other = callerOf(principal({ id: `${id}-other`, tenant, roles, canDelete }));
  // The rules may let somebody else do it unasked.
  if ((await decisionOf(rig, tool, other.principal, args)) === "approve") {
    await rig.calls.call({ tool, arguments: args }, { caller: other });
    if (rig.ran() > 1) return fail(`the approval of one caller let another one run ${tool.shownName}`);
  }
  const before = rig.ran();
  for (const [what, call] of [
    ["again", () => rig.calls.call({ tool, arguments: args }, { caller })],
    ["under another key", () => rig.calls.call({ tool, arguments: args, key: "verify" }, { caller })],
  ] as const) {
    await call();
    if (rig.ran() > before) return fail(`one approval let ${tool.shownName} run ${what}`);
  }
  if (mayRepeat(rig)) return pass;
  await rig.calls.again(outcome.receipt, { caller });
  return rig.ran() > before ? fail(`one approval let ${tool.shownName} run once more, by toolglot_again`) : pass;
}

async function asked(rig: Rig): Promise<Subject | undefined> {
  const found = (await subjects(rig)).filter(({ decision, tool }) => decision === "approve" && tool.io === "WRITE");
  return found.find(({ tool }) => !isRepeatable(tool)) ?? found[0];
}

/** Whether a rule may let things be done once more without a person. */
function mayRepeat({ config: { settings } }: Rig): boolean {
  const rules = typeof settings.policy === "object" ? settings.policy.rules : [];
  return rules.some(({ id }) => id === "again");
}

function nobodyAsked({ config: { settings } }: Rig): Finding {
  return notApplicable(
    settings.mode === "observe"
      ? "with mode observe nobody is asked"
      : "the policy asks nobody about any of the tools that were tried",
  );
}
