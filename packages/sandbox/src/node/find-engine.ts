import { readFileSync, realpathSync } from "node:fs";
import { createRequire } from "node:module";
import { ToolglotError } from "@toolglot/core";

/**
 * Returns the manifest of an engine's package. `wanted`: what to install. Throws `ToolglotError` (`sandbox/engine-missing`) when it is not
 * there.
 */
export function findEngine(language: string, name: string, wanted: string): { manifest: string; version: string } {
  const install = `npm install ${name}@${wanted}`;
  let manifest: string;
  try {
    manifest = realpathSync(createRequire(import.meta.url).resolve(`${name}/package.json`));
  } catch (cause) {
    const message = `${language} needs the package ${name}, which is not installed: ${install}`;
    throw new ToolglotError("sandbox/engine-missing", message, { cause, data: { package: name, install } });
  }
  const { version } = JSON.parse(readFileSync(manifest, "utf8")) as { version: string };
  return { manifest, version };
}
