import { createHttpApp } from "../http/app.ts";
import { openTokens } from "../identity/tokens.ts";
import { type RigParts, rigParts } from "./rig-parts.ts";

/** The parts of a gateway that are verified: its own. Tests put a broken one in place of each. */
export interface VerifyParts extends RigParts {
  openTokens: typeof openTokens;
  createHttpApp: typeof createHttpApp;
  /** The store's file of the n-th of several processes: the same for all. */
  fileOfProcess(file: string, n: number): string;
  /** The program of one of several processes. */
  processFile: URL;
}

export const ownParts: VerifyParts = {
  ...rigParts,
  openTokens,
  createHttpApp,
  fileOfProcess: (file) => file,
  // Built as a file of its own, beside the one that this is bundled into.
  processFile: new URL("verify-process.js", import.meta.url),
};
