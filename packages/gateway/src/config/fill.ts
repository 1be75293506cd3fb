import { accessSync, constants, readFileSync, statSync } from "node:fs";
import { basename, delimiter, resolve, sep } from "node:path";
import { nearest } from "@toolglot/core";
import { codeOf } from "@toolglot/internal";
import type { SecretList } from "./secrets.ts";
import type { ProblemText } from "./source.ts";

/** What the places of texts are filled from. */
export interface FillSources {
  env: Readonly<Record<string, string | undefined>>;
  home: string;
  secrets: SecretList;
}

/** What a file adds to that. */
export interface FillScope extends FillSources {
  /** Where relative paths begin. */
  folder: string;
  workspaceFolder: string;
  inputs: ReadonlyMap<string, InputDefinition>;
}

/** An entry of VS Code's `inputs`. */
export interface InputDefinition {
  description?: string;
  default?: string;
}

const maxFileBytes = 1024 * 1024;
const plainPlaces = ["workspaceFolder", "workspaceFolderBasename", "userHome", "cwd", "pathSeparator"];

/**
 * Returns a text with its places filled: `${NAME}`, `${env:NAME}`, both also with `:-default`, `${file:PATH}`, `${input:ID}`,
 * `${workspaceFolder}`, `${userHome}`, and the others that editors know; `$${` is a plain `${`. What can't be filled is
 * reported, and stays. Values from outside go to the list of secrets.
 */
export function fillText(text: string, scope: FillScope, report: (problem: ProblemText) => void): string {
  if (!text.includes("${")) return text;
  return text.replace(/\$\$\{|\$\{([^}]*)(\}?)/g, (whole: string, inner: string | undefined, end: string) => {
    if (inner === undefined) return "${";
    if (end === "") {
      report({
        code: "config/value",
        message: `has a \${ without its }`,
        cure: `Close it, or write "$\${" for a plain "\${".`,
      });
      return whole;
    }
    return placeValue(inner, scope, report) ?? whole;
  });
}

function placeValue(inner: string, scope: FillScope, report: (problem: ProblemText) => void): string | undefined {
  const [, kind, rest = ""] = /^(env|file|input):(.*)$/s.exec(inner) ?? [];
  if (kind === "file") return fileValue(rest, scope, report);
  if (kind === "input") return inputValue(rest, scope, report);
  if (kind === undefined) {
    const plain = plainValue(inner, scope);
    if (plain !== undefined) return plain;
  }
  const [, name, fallback] = /^([\w.()-]+?)(?::-([\s\S]*))?$/.exec(kind === "env" ? rest : inner) ?? [];
  if (name === undefined || fallback?.includes("${")) {
    const [meant] = nearest(inner, [...plainPlaces, "env:NAME", "file:PATH", "input:ID"], 1);
    report({
      code: "config/value",
      message: `has a place that is none of those that are known${meant === undefined ? "" : ` (did you mean "\${${meant}}"?)`}`,
      cure: `Write \${NAME}, \${NAME:-default}, \${env:NAME}, \${file:PATH}, \${input:ID}, \${workspaceFolder} or \${userHome}; "$\${" for a plain "\${".`,
    });
    return undefined;
  }
  const value = scope.env[name];
  if (value === undefined || (value === "" && fallback !== undefined)) {
    if (fallback !== undefined) return fallback;
    const [meant] = nearest(name, plainPlaces, 1);
    report({
      code: "config/unset",
      message: `\${${inner}}: the variable ${name} is not set${meant === undefined ? "" : ` (did you mean "\${${meant}}"?)`}`,
      cure: `Set ${name} where the gateway starts, or write \${${name}:-default}.`,
    });
    return undefined;
  }
  scope.secrets.add(name, value);
  return value;
}

function plainValue(name: string, { home, workspaceFolder }: FillScope): string | undefined {
  switch (name) {
    case "userHome":
      return home;
    case "workspaceFolder":
    case "cwd":
      return workspaceFolder;
    case "workspaceFolderBasename":
      return basename(workspaceFolder);
    case "pathSeparator":
    case "/":
      return sep;
    default:
      return undefined;
  }
}

function fileValue(given: string, scope: FillScope, report: (problem: ProblemText) => void): string | undefined {
  const read = readSmallFile(pathFrom(given, scope));
  if ("text" in read) {
    const value = read.text.trim();
    scope.secrets.add(`file:${given}`, value);
    return value;
  }
  report({
    code: "config/file",
    message: `\${file:${given}}: the file ${read.problem}`,
    cure: `Make ${given} a readable file; its path is relative to this configuration.`,
  });
  return undefined;
}

function inputValue(id: string, scope: FillScope, report: (problem: ProblemText) => void): string | undefined {
  const name = `TOOLGLOT_INPUT_${id.toUpperCase().replace(/[^A-Z0-9]/g, "_")}`;
  const input = scope.inputs.get(id);
  const value = scope.env[name];
  if (value !== undefined) {
    scope.secrets.add(`input:${id}`, value);
    return value;
  }
  if (input?.default !== undefined) return input.default;
  report({
    code: "config/unset",
    message: `\${input:${id}}: the variable ${name} is not set`,
    cure: `Set ${name}${input?.description === undefined ? "" : ` (${input.description})`}: nobody is asked when a gateway starts.`,
  });
  return undefined;
}

/** Returns a path of the configuration as an absolute one: `~/` is the user's folder. */
export function pathFrom(path: string, { folder, home }: Pick<FillScope, "folder" | "home">): string {
  return /^~[\\/]/.test(path) ? resolve(home, path.slice(2)) : resolve(folder, path);
}

/** Reads a file, or returns what is wrong with it: `is not there`. */
export function readSmallFile(path: string): { text: string } | { problem: string } {
  try {
    const info = statSync(path);
    if (!info.isFile() && !info.isFIFO()) return { problem: "is no file" };
    if (info.size > maxFileBytes) return { problem: "is larger than 1 MiB" };
    return { text: readFileSync(path, "utf8") };
  } catch (error) {
    return { problem: problemOf(error) };
  }
}

/** Returns what is wrong with a path that is to be a folder; undefined for one. */
export function folderProblem(path: string): string | undefined {
  try {
    return statSync(path).isDirectory() ? undefined : "is no folder";
  } catch (error) {
    return problemOf(error);
  }
}

/**
 * Returns what is wrong with a program that is to be started in a folder: one with a slash is there, others are looked for in `PATH`.
 * Undefined where it can be started, as far as is known.
 */
export function programProblem(
  command: string,
  folder: string,
  { PATH, Path = PATH, PATHEXT = "" }: FillSources["env"],
): string | undefined {
  const isPath = /[\\/]/.test(command);
  const folders = isPath ? [folder] : (Path?.split(delimiter).filter(Boolean) ?? []);
  if (folders.length === 0) return undefined;
  const names = ["", ...PATHEXT.split(";").filter(Boolean)].map((ending) => command + ending);
  const paths = folders.flatMap((one) => names.map((name) => resolve(one, name)));
  if (paths.some(isProgram)) return undefined;
  return isPath ? "is no program that can be started" : "is not in the PATH";
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

function problemOf(error: unknown): string {
  const code = codeOf(error);
  if (code === "ENOENT" || code === "ENOTDIR") return "is not there";
  return code === "EACCES" || code === "EPERM" ? "may not be read" : "can't be read";
}
