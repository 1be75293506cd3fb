import { approveBefore, givenUp, guardedSubjects, nothingGuarded, onStore } from "./guarded.ts";
import type { VerifyParts } from "./parts.ts";
import { argumentsOf, openRig, perform, type Rig, type Subject, type VerifiedConfig } from "./rig.ts";
import { type Finding, fail, notApplicable, pass } from "./types.ts";

/** Calls of one effect at the same time. */
const together = 4;

/** Asks for the same effect again: at the same time, at once, and after a restart. */
export async function repeatedEffect(config: VerifiedConfig, parts: VerifyParts): Promise<Finding> {
  return onStore(config, async (file) => {
    const rig = await openRig(config, parts, file);
    const restart = file === undefined ? undefined : () => openRig(config, parts, file);
    try {
      const found = await guardedSubjects(rig);
      for (const subject of found) {
        const { mode } = subject.tool.repeat;
        const finding =
          mode === "free"
            ? await repeatedFreely(rig, subject)
            : ((await atTheSameTime(rig, subject)) ??
              (mode === "window" ? await inARow(rig, subject, restart) : undefined));
        if (finding !== undefined) return finding;
      }
      const inDoubt = found.find(({ tool }) => tool.repeat.mode === "in-doubt");
      if (inDoubt === undefined) return found.length === 0 ? nothingGuarded : pass;
      const detail = `repeat "in-doubt" of ${inDoubt.tool.server}/${inDoubt.tool.tool} runs again what is done: there it holds only while a call runs, or is in doubt`;
      return found.length > 1 ? { ...pass, detail } : notApplicable(detail);
    } finally {
      await rig.close();
    }
  });
}

async function repeatedFreely(rig: Rig, subject: Subject): Promise<Finding> {
  const before = rig.ran();
  for (let time = 0; time < 2; time++) await perform(rig, subject, argumentsOf(subject.tool, "free"));
  return fail(`${givenUp(subject.tool)}: the same effect ran ${rig.ran() - before} times`);
}

async function atTheSameTime(rig: Rig, subject: Subject): Promise<Finding | undefined> {
  const { tool, caller } = subject;
  const args = argumentsOf(tool, "together");
  const unasked = await approveBefore(rig, subject, args);
  if (unasked !== undefined) return unasked;
  const before = rig.ran();
  await Promise.all(Array.from({ length: together }, () => rig.calls.call({ tool, arguments: args }, { caller })));
  const count = rig.ran() - before;
  return count === 1 ? undefined : fail(`${together} calls of ${tool.shownName} at the same time ran ${count} times`);
}

async function inARow(
  rig: Rig,
  subject: Subject,
  restart: (() => Promise<Rig>) | undefined,
): Promise<Finding | undefined> {
  const { tool, caller } = subject;
  const call = { tool, arguments: argumentsOf(tool, "row") };
  const before = rig.ran();
  const first = await perform(rig, subject, call.arguments);
  if (first.outcome.status !== "done") return fail(`${tool.shownName} did not run: ${first.outcome.status}`);
  const second = await rig.calls.call(call, { caller });
  const count = rig.ran() - before;
  if (count !== 1) return fail(`${tool.shownName} ran ${count} times for one effect`);
  if (second.outcome.status !== "replayed") return fail(`the repeated call was answered ${second.outcome.status}`);
  const later = await restart?.();
  try {
    await later?.calls.call(call, { caller });
    return later === undefined || later.ran() === 0
      ? undefined
      : fail(`${tool.shownName} ran once more after a restart`);
  } finally {
    await later?.close();
  }
}
