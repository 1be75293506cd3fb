/** One of several processes that ask for the same effect: its parent sends for which, and when. */
import { once } from "node:events";
import type { JsonObject } from "@toolglot/core";
import type { Caller, ImportedTool } from "@toolglot/trp-mcp";
import { openRig, type VerifiedConfig } from "../rig.ts";
import { rigParts } from "../rig-parts.ts";

/** The call that is made. */
export interface ProcessCall {
  config: VerifiedConfig;
  /** Of the store. */
  file: string;
  tool: ImportedTool;
  caller: Caller;
  arguments: JsonObject;
}

/** How it ended. */
export interface ProcessEnd {
  status: string;
  /** How often it reached a server from here. */
  ran: number;
}

const [{ config, file, tool, caller, arguments: args }] = (await once(process, "message")) as [ProcessCall];
const rig = await openRig(config, rigParts, file);
process.send?.("ready");
await once(process, "message");
const { outcome } = await rig.calls.call({ tool, arguments: args }, { caller });
const end: ProcessEnd = { status: outcome.status, ran: rig.ran() };
process.send?.(end);
await rig.close();
process.disconnect();
