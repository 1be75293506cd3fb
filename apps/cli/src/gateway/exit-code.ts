import { ToolglotError } from "@toolglot/core";
import { exitCodes } from "../cli/exit-codes.ts";
import type { Host } from "../host.ts";
import { visible } from "../view/visible.ts";

/** How `gateway` ends, where that differs from the rest of the command line. */
export const storeFailed = 3;

/** Runs a command, and says what went wrong: exit code 2 for the configuration, 3 for the store. Rejects with everything else. */
export async function withExitCode({ stderr }: Host, work: () => Promise<number>): Promise<number> {
  try {
    return await work();
  } catch (error) {
    const code = ToolglotError.isInstance(error) ? codeOf(error.code) : undefined;
    if (code === undefined) throw error;
    stderr.write(`${visible((error as Error).message)}\n`);
    return code;
  }
}

function codeOf(code: string): number | undefined {
  if (/^(?:config\/|gateway\/(?:config|no-tokens|no-auth))/.test(code)) return exitCodes.usage;
  if (/^(?:gateway\/store|trp\/store-)/.test(code)) return storeFailed;
  return undefined;
}
