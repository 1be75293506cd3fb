import { homedir } from "node:os";
import { join } from "node:path";
import { ToolError } from "@toolglot/core";
import { ToolResponse } from "@toolglot/toolkit";
import { localError } from "../../errors.ts";
import { inMessage } from "../../messages.ts";

/** The environment's policy on tools that reach any file. */
export type DangerousTextIo = "deny" | "warn" | "allow";

/** What a raw tool's responses carry in `metadata`, errors too. */
export interface RawMetadata extends Record<string, unknown> {
  dangerous_io: true;
  policy: DangerousTextIo;
  tool: string;
  path: string;
  blocked: boolean;
  reason: "bypass_filesystem";
  /** With `warn` and `deny`: what to look into. */
  warnings?: string[];
}

/**
 * Returns the policy of this moment: `TOOLGLOT_DANGEROUS_TEXT_IO`, or else `AGENTSCOPE_DANGEROUS_TEXT_IO`. Case and blanks don't
 * count. Default `warn`, also for a word that is none of the three.
 */
export function dangerousTextIo(env: Readonly<Record<string, string | undefined>> = process.env): DangerousTextIo {
  const asked = env.TOOLGLOT_DANGEROUS_TEXT_IO?.trim() || env.AGENTSCOPE_DANGEROUS_TEXT_IO?.trim() || "warn";
  const policy = asked.toLowerCase();
  return policy === "deny" || policy === "allow" ? policy : "warn";
}

/** Returns what the responses of a raw tool carry, `blocked` among it. */
function guard(tool: string, path: string): RawMetadata {
  const policy = dangerousTextIo();
  const metadata: RawMetadata = {
    dangerous_io: true,
    policy,
    tool,
    path,
    blocked: policy === "deny",
    reason: "bypass_filesystem",
  };
  if (policy !== "allow") {
    const done = policy === "deny" ? "was kept from reaching" : "reached";
    const cure = "TOOLGLOT_DANGEROUS_TEXT_IO=deny forbids it, =allow takes this warning away";
    metadata.warnings = [`${tool} ${done} a file of the host past all namespaces: ${inMessage(path)} (${cure}).`];
  }
  return metadata;
}

/** What models read when the policy is `deny`. */
const blocked = "Blocked by policy: raw OS file access is disabled. Use FileSystem service tools instead.";

/** Runs a raw tool on a path, if the policy lets it. Every response carries the guard's metadata, errors too. */
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
