import { homedir } from "node:os";
import { join } from "node:path";
import { ToolError } from "@toolglot/core";
import { ToolResponse } from "@toolglot/toolkit";
import { localError } from "../../errors.ts";
import { guard, type RawMetadata } from "./guard.ts";

/** What models read when the policy is `deny`. */
const blocked = "Blocked by policy: raw OS file access is disabled. Use FileSystem service tools instead.";

/**
 * Runs a raw tool on a path, if the policy lets it. Every response carries the guard's metadata: refusals, errors and
 * faults of the system as well.
 */
export async function runRaw(
  tool: string,
  filePath: string,
  run: (path: string) => Promise<string>,
): Promise<ToolResponse> {
  const path = expandUser(filePath);
  const metadata = guard(tool, path);
  if (metadata.blocked) {
    return new ToolResponse({
      content: blocked,
      status: "denied",
      error: { type: "Denied", message: blocked },
      metadata,
    });
  }
  try {
    if (path === "" || path.includes("\0"))
      throw localError("InvalidPath", "Error: The path is empty or has a NUL in it.");
    return new ToolResponse({ content: await run(path), metadata });
  } catch (error) {
    return failure(path, error, metadata);
  }
}

function failure(path: string, error: unknown, metadata: RawMetadata): ToolResponse {
  if (ToolError.isInstance(error)) {
    const { type } = error.data;
    const { message } = error;
    return new ToolResponse({
      content: message,
      error: { type: typeof type === "string" ? type : "ToolError", message },
      metadata,
    });
  }
  const { code, syscall } = error as NodeJS.ErrnoException;
  // The model named the path itself: repeating it reveals nothing of the host.
  const why = typeof syscall === "string" ? (reasons[code ?? ""] ?? code ?? "unknown") : "an internal fault";
  const message = `Error: The file ${path} can't be used: ${why}.`;
  const type = code === "EACCES" || code === "EPERM" ? "AccessDenied" : "WriteFailed";
  return new ToolResponse({ content: message, error: { type, message }, metadata });
}

const reasons: Readonly<Record<string, string>> = {
  EACCES: "no permission",
  EPERM: "no permission",
  EROFS: "it can only be read",
  ENOSPC: "there is no room left",
  ENAMETOOLONG: "its name is too long",
  ENOTDIR: "a part of its path is no directory",
  ENOENT: "its folder does not exist",
  ELOOP: "its links lead in a circle",
};

/** `~` and `~/…` as the home directory, as shells read them. */
function expandUser(path: string): string {
  if (path === "~") return homedir();
  return /^~[/\\]/.test(path) ? join(homedir(), path.slice(2)) : path;
}
