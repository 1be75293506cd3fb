import { ToolglotError } from "@toolglot/core";

/** Loads the package `ws`, which is an optional peer. Rejects with `trp/ws-missing` and the cure. */
export async function loadWs(): Promise<typeof import("ws")> {
  try {
    return await import("ws");
  } catch (cause) {
    if ((cause as { code?: unknown } | null)?.code !== "ERR_MODULE_NOT_FOUND") throw cause;
    const message = "WebSockets need the package ws, which is not installed: npm install ws";
    throw new ToolglotError("trp/ws-missing", message, { cause, data: { package: "ws" } });
  }
}
