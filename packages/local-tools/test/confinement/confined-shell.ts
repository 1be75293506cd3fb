import { onTestFinished } from "vitest";
import { type BwrapOptions, openShell, type ShellSession } from "../../src/index.ts";
import { type Scratch, scratchFolder } from "../support/scratch.ts";

/** A confined shell in the folder `work` of a scratch folder, closed when the test is over. */
export interface ConfinedShell {
  readonly scratch: Scratch;
  readonly shell: ShellSession;
  /** What a script prints, without white space at its end. */
  says(script: string): Promise<string>;
}

/** Opens a confined shell. `git`: the folder holds an (empty) repository. */
export async function confinedShell(
  options: Partial<BwrapOptions> = {},
  files: Readonly<Record<string, string>> = {},
): Promise<ConfinedShell> {
  const scratch = await scratchFolder({ "work/readme": "", ...files });
  const shell = await openShell({
    cwd: scratch.at("work"),
    artifactDir: scratch.at("artifacts"),
    sandbox: { kind: "bwrap", ...options },
  });
  onTestFinished(() => shell.close());
  return { scratch, shell, says: async (script) => (await shell.run(script)).output.trimEnd() };
}
