import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { it } from "vitest";
import { Confinement } from "../../src/confinement/confinement.ts";
import { confinementSettings } from "../../src/confinement/settings.ts";
import { tryOut } from "../../src/shell/confined-bash.ts";

async function whyNot(): Promise<string | undefined> {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "tg-confined-")));
  try {
    const settings = confinementSettings("tests", "bwrap", { roots: [root] });
    if (settings) await tryOut(new Confinement(settings), { PATH: process.env.PATH ?? "" }, root);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

/** Why no shell can be confined here; undefined where it can. */
export const notConfinable: string | undefined = await whyNot();

/** To be called in a test file with confined sessions: where there can be none, a skipped test says why. */
export function noteWithoutBubblewrap(): void {
  if (notConfinable !== undefined) it("runs in a confined shell as well", ({ skip }) => skip(notConfinable));
}
