import { givenUp, guardedSubjects, onStore } from "./guarded.ts";
import type { VerifyParts } from "./parts.ts";
import { argumentsOf, openRig, perform, type Rig, type Subject, type VerifiedConfig } from "./rig.ts";
import { type Finding, fail, notApplicable, pass } from "./types.ts";

/** Loses the reply of a call, and asks for it again: with another id, too, and after a restart. */
export async function lostReply(config: VerifiedConfig, parts: VerifyParts): Promise<Finding> {
  return onStore(config, async (file) => {
    const rig = await openRig(config, parts, file);
    const restart = file === undefined ? undefined : () => openRig(config, parts, file);
    try {
      const found = (await guardedSubjects(rig)).filter(({ tool }) => tool.effect === "opaque");
      for (const subject of found) {
        const finding = await loseAndRetry(rig, subject, restart);
        if (finding !== undefined) return finding;
      }
      return found.length === 0 ? notApplicable("no WRITE whose effect is opaque may be called") : pass;
    } finally {
      await rig.close();
    }
  });
}

async function loseAndRetry(
  rig: Rig,
  subject: Subject,
  restart: (() => Promise<Rig>) | undefined,
): Promise<Finding | undefined> {
  const { tool, caller } = subject;
  const args = argumentsOf(tool, "lost");
  const before = rig.ran();
  rig.loseReply(tool);
  const first = await perform(rig, subject, args);
  const count = rig.ran() - before;
  if (count !== 1) return fail(`${tool.shownName} ran ${count} times when its reply was lost`);
  if (first.outcome.status !== "unknown") return fail(`the lost call was answered ${first.outcome.status}`);
  const retries = [
    { tool, arguments: args },
    { tool, arguments: args, key: "verify-another-id" },
  ];
  if (tool.repeat.mode === "free") return fail(givenUp(tool));
  for (const retry of retries) {
    const { status } = (await rig.calls.call(retry, { caller })).outcome;
    if (rig.ran() - before > 1) return fail(`${tool.shownName} ran again after its reply was lost`);
    if (status !== "unknown") return fail(`asked again, the lost call was answered ${status}`);
  }
  const later = await restart?.();
  try {
    for (const retry of retries) await later?.calls.call(retry, { caller });
    return later === undefined || later.ran() === 0 ? undefined : fail(`${tool.shownName} ran again after a restart`);
  } finally {
    await later?.close();
  }
}
