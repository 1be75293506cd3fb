import { spawn } from "node:child_process";
import { open } from "node:fs/promises";
import { ignoring } from "@toolglot/internal";
import { localError } from "../errors.ts";
import { readFlags } from "../files/pinned-folder.ts";

/** All of GNU cp's attributes but the times: a changed file is new. `xattr` once more makes it fail where one can't be copied. */
const cpOptions = ["--attributes-only", "--preserve=all,xattr", "--no-preserve=timestamps"];

/**
 * Copies to an open file the extended attributes and access-control lists of the file at a path, links not followed; also its mode
 * and owner, as far as this process may. Does nothing when there is no such file. By GNU cp, since Node has no call for it; both
 * files are handed over open, so that no name is looked up again. Rejects with `WriteFailed` where not all can be copied.
 */
export async function copyAttributes(path: string, shown: string, target: number): Promise<void> {
  await using source = await open(path, readFlags).catch(ignoring("ENOENT"));
  if (source === undefined) return;
  const child = spawn("cp", [...cpOptions, "--", "/proc/self/fd/3", "/proc/self/fd/4"], {
    stdio: ["ignore", "ignore", "pipe", source.fd, target],
    env: { PATH: process.env.PATH ?? "", LC_ALL: "C" },
  });
  let said = "";
  child.stderr?.setEncoding("utf8").on("data", (text: string) => {
    said = (said + text).slice(0, 300);
  });
  const ended = await new Promise<string | number | null>((resolve) => {
    child.on("error", (error) => resolve(error.message));
    child.on("close", (status, signal) => resolve(signal ?? status));
  });
  if (ended === 0) return;
  const reason = said.trim() || `cp: ${ended}`;
  const hint = "keepAttributes needs GNU cp, and a file system that holds the attributes.";
  throw localError("WriteFailed", `The attributes of ${shown} can't be kept (${reason}). Nothing was changed.`, {
    hint,
  });
}
