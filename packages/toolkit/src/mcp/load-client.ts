import { ToolkitError } from "../errors.ts";

/** Exports of the official client package. */
export type ClientModule = typeof import("@modelcontextprotocol/client");

const packageName = "@modelcontextprotocol/client";

/** Loads the official client, which is an optional peer. Rejects with `toolkit/mcp-missing` and the cure. */
export function loadClientModule(): Promise<ClientModule> {
  return orMissing(() => import("@modelcontextprotocol/client"));
}

/** Loads a part of an optional package. Rejects with how to install it when it is missing. */
export async function orMissing<Module>(load: () => Promise<Module>): Promise<Module> {
  try {
    return await load();
  } catch (cause) {
    if (!isMissing(cause)) throw cause;
    const message = `MCP needs the package ${packageName}, which is not installed: npm install ${packageName}`;
    const error = new ToolkitError("toolkit/mcp-missing", message, { name: packageName });
    error.cause = cause;
    throw error;
  }
}

/** Checks whether a module is missing: Node has a code for it, browsers and bundlers only a message. */
function isMissing(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if ((error as { code?: unknown }).code === "ERR_MODULE_NOT_FOUND") return true;
  return /Cannot find (?:package|module)|Failed to resolve module specifier|Failed to fetch dynamically/.test(
    error.message,
  );
}
