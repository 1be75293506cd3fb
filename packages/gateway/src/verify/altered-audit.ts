import { copyFile, mkdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import Database from "libsql";
import type { VerifyParts } from "./parts.ts";
import { argumentsOf, inScratch, openRig, perform, type Rig, subjects, type VerifiedConfig } from "./rig.ts";
import { type Finding, fail, notApplicable, pass } from "./types.ts";

/** Changes a row of the log behind the gateway's back, and cuts its end off. */
export async function alteredAudit(config: VerifiedConfig, parts: VerifyParts): Promise<Finding> {
  if (config.settings.store === "memory") return notApplicable("nobody else can write a store in memory");
  return inScratch(async (folder) => {
    const file = join(folder, "gateway.db");
    const head = await withRig(config, parts, file, async (rig) => {
      for (const subject of await subjects(rig)) await perform(rig, subject, argumentsOf(subject.tool, "1"));
      return rig.router.audit.verify();
    });
    if (!head.ok || head.last === undefined)
      return fail(`an untouched log was found broken: ${head.problem ?? "no rows"}`);
    const { last } = head;
    const row = Math.ceil(last.index / 2);
    const changes = [
      [
        "a row that was changed",
        `UPDATE audit SET entry = replace(entry, '"tenant":"', '"tenant":"x') WHERE n = ${row}`,
      ],
      ["a row that was cut off", `DELETE FROM audit WHERE n = ${last.index}`],
    ] as const;
    for (const [what, change] of changes) {
      const altered = join(folder, what.replaceAll(" ", "-"), "gateway.db");
      await mkdir(dirname(altered));
      await copyFile(file, altered);
      alter(altered, change);
      const { ok } = await withRig(config, parts, altered, (rig) => rig.router.audit.verify({ expect: last }));
      if (ok) return fail(`not found: ${what}`);
    }
    return pass;
  });
}

/** Writes to the file as somebody does who has it, and no gateway. */
function alter(file: string, change: string): void {
  const database = new Database(file);
  try {
    if (database.prepare(change).run().changes !== 1) throw new Error("no row was there to alter");
  } finally {
    database.close();
  }
}

async function withRig<Value>(
  config: VerifiedConfig,
  parts: VerifyParts,
  file: string,
  work: (rig: Rig) => Promise<Value>,
): Promise<Value> {
  const rig = await openRig(config, parts, file);
  try {
    return await work(rig);
  } finally {
    await rig.close();
  }
}
