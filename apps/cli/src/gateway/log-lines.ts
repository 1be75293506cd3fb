import type { LogLine } from "@toolglot/gateway";
import type { Host } from "../host.ts";
import { styleFor } from "../view/style.ts";
import { visible } from "../view/visible.ts";
import type { GatewayFlags } from "./flags.ts";

/** Returns what writes lines of a gateway's log to standard error. */
export function logTo({ stderr, env }: Host, { log, stdio }: GatewayFlags): (line: LogLine) => void {
  const form = log ?? (stderr.isTTY && !stdio ? "pretty" : "json");
  if (form === "silent") return () => {};
  if (form === "json") {
    return (line) => void stderr.write(`${JSON.stringify({ time: new Date().toISOString(), ...line })}\n`);
  }
  const style = styleFor(stderr, env);
  const marks = { debug: style.dim, info: style.dim, warn: style.warn, error: style.bad };
  return ({ level, message, server, tool }) => {
    const time = new Date().toLocaleTimeString("sv");
    const about = [server, tool].filter(Boolean).join("/");
    const text = visible(about === "" ? message : `${about}: ${message}`);
    stderr.write(`${style.dim(time)} ${marks[level](level.padEnd(5))} ${text}\n`);
  };
}
