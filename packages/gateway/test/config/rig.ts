import { ToolglotError } from "@toolglot/core";
import { expect } from "vitest";
import type { GatewayConfig, LoadConfigOptions } from "../../src/config/config-types.ts";
import { loadConfig } from "../../src/config/load-config.ts";
import type { ConfigProblem } from "../../src/config/problem.ts";

type Given = Partial<LoadConfigOptions>;

const surroundings = { env: {}, home: "/home/ada", stateDir: "/state" };

/** Loads a configuration from a text, or from a value. */
export function load(file: unknown, options: Given = {}): Promise<GatewayConfig> {
  const text = typeof file === "string" ? file : JSON.stringify(file, undefined, 2);
  return loadConfig({ files: [{ name: "t.json", text, folder: "/work" }], ...surroundings, ...options });
}

/** Returns what is wrong with it, and checks that every place lies in its file. */
export async function problemsOf(file: unknown, options: Given = {}): Promise<ConfigProblem[]> {
  const error = await load(file, options).then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (error === undefined) return [];
  expect(ToolglotError.isInstance(error), String((error as Error).stack)).toBe(true);
  const { code, data } = error as ToolglotError;
  expect(code).toBe("gateway/config");
  return data.problems as ConfigProblem[];
}

/** The errors as `path: message`. */
export async function errorsOf(file: unknown, options: Given = {}): Promise<string[]> {
  const errors = (await problemsOf(file, options)).filter(({ severity }) => severity === "error");
  return errors.map(({ path, message }) => `${path}: ${message}`);
}

/** A file with these settings. */
export const withSettings = (gateway: object, servers: object = { shop: { command: "shop" } }): object => ({
  mcpServers: servers,
  gateway,
});
