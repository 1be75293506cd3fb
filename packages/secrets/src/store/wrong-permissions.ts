import { ToolglotError } from "@toolglot/core";
import type { WrongFile } from "@toolglot/internal/node";

/** Creates the error for a file or folder that others could read or replace. */
export const wrongPermissions: WrongFile = (message, path, cause) =>
  new ToolglotError("secrets/permissions", message, { data: { path }, cause });
