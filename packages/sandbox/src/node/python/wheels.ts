import { createHash } from "node:crypto";
import { readdirSync, readFileSync, realpathSync } from "node:fs";
import { basename, join } from "node:path";
import { type MarkerValues, markerHolds } from "./markers.ts";
import { readZip, type ZipEntry } from "./zip.ts";

/** An engine's description of itself: `info` in its lock file. */
export interface EngineInfo {
  abi_version: string;
  arch: string;
  platform: string;
  python: string;
}

/** Libraries that the host offers to all programs. */
export interface Wheels {
  /** Files, by their real paths. */
  paths: readonly string[];
  /** What `import` names. */
  names: readonly string[];
  /** Whether any has code for the engine's platform, which no snapshot can hold. */
  native: boolean;
  /** Changes with every byte of them; empty for none. */
  hash: string;
}

const noWheels: Wheels = { paths: [], names: [], native: false, hash: "" };

interface Wheel {
  path: string;
  /** Of the distribution, as wheels name it when they depend on it. */
  name: string;
  imports: readonly string[];
  native: boolean;
  needs: readonly string[];
  digest: Buffer;
}

/**
 * Reads wheels, by their paths or all of a folder. Throws `TypeError` that names the wheel: when it can't be read, is for another platform or
 * another Python, is there twice, or needs one that was not given.
 */
export function readWheels(given: unknown, engine: EngineInfo): Wheels {
  if (given === undefined) return noWheels;
  const wheels = pathsOf(given).map((path) => readWheel(path, engine));
  const names = new Set<string>();
  for (const { name } of wheels) {
    if (names.has(name)) throw new TypeError(`wheels: ${name} is there twice; a program can import one of them only.`);
    names.add(name);
  }
  for (const { name, needs } of wheels) {
    const missing = needs.filter((need) => !names.has(need));
    if (missing.length === 0) continue;
    throw new TypeError(
      `wheels: ${name} needs ${missing.join(" and ")}, and nothing is fetched: give ${missing.length === 1 ? "its wheel" : "their wheels"} too.`,
    );
  }
  if (wheels.length === 0) return noWheels;
  const hash = createHash("sha256");
  for (const { digest } of wheels) hash.update(digest);
  return {
    paths: wheels.map(({ path }) => path),
    names: [...new Set(wheels.flatMap(({ imports }) => imports))].sort(),
    native: wheels.some(({ native }) => native),
    hash: hash.digest("hex"),
  };
}

function pathsOf(given: unknown): string[] {
  if (Array.isArray(given) && given.every((path) => typeof path === "string" && path !== "")) return given as string[];
  const { dir } = Object(given) as { dir?: unknown };
  if (typeof dir !== "string" || dir === "") {
    throw new TypeError("wheels must be an array of paths of wheels, or { dir } with the path of a folder of them.");
  }
  let names: string[];
  try {
    names = readdirSync(dir).filter((name) => name.endsWith(".whl"));
  } catch (cause) {
    throw new TypeError(`wheels: the folder ${dir} can't be read.`, { cause });
  }
  if (names.length === 0) throw new TypeError(`wheels: there is no file *.whl in ${dir}.`);
  return names.sort().map((name) => join(dir, name));
}

/** As distributions are named in dependencies: case and kind of dashes say nothing. */
const normal = (name: string): string => name.toLowerCase().replace(/[-_.]+/g, "-");

function readWheel(path: string, engine: EngineInfo): Wheel {
  const file = basename(path);
  const native = isNative(file, engine);
  let real: string;
  let bytes: Buffer;
  let entries: ZipEntry[];
  let metadata: string | undefined;
  try {
    real = realpathSync(path);
    bytes = readFileSync(real);
    entries = readZip(bytes);
    metadata = entries
      .find(({ name }) => /^[^/]+\.dist-info\/METADATA$/.test(name))
      ?.read()
      .toString("utf8");
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new TypeError(`wheels: ${path} can't be read as a wheel: ${reason}.`, { cause });
  }
  if (metadata === undefined) throw new TypeError(`wheels: ${path} is no wheel: it has no METADATA.`);
  return {
    path: real,
    name: normal(/^Name:\s*(\S+)/m.exec(metadata)?.[1] ?? file.split("-")[0] ?? ""),
    imports: importNames(entries),
    native,
    needs: dependencies(metadata, engine),
    digest: createHash("sha256").update(file).update("\n").update(bytes).digest(),
  };
}

/** By its name: `name-version(-build)-python-abi-platform.whl`, where each of the last three may list several. */
function isNative(file: string, { python, abi_version, arch, platform }: EngineInfo): boolean {
  const parts = file.endsWith(".whl") ? file.slice(0, -4).split("-") : [];
  if (parts.length !== 5 && parts.length !== 6) {
    throw new TypeError(`wheels: ${file} is not named as wheels are: name-version-py3-none-any.whl.`);
  }
  const [pythons = [], abis = [], platforms = []] = parts.slice(-3).map((tags) => tags.split("."));
  const [, minor = 0] = python.split(".").map(Number);
  const own = ["pyemscripten", "pyodide"].map((name) => `${name}_${abi_version}_${arch}`).concat(`${platform}_${arch}`);
  const isPure = platforms.includes("any");
  const fits = pythons.some((tag) => {
    const [, kind, digits] = /^(py|cp)3(\d*)$/.exec(tag) ?? [];
    if (kind === undefined) return false;
    if (kind === "cp" && !abis.includes("abi3") && !isPure) return Number(digits) === minor;
    return Number(digits) <= minor;
  });
  if (!fits || !(isPure || platforms.some((tag) => own.includes(tag)))) {
    const wanted = `-py3-none-any.whl, or -cp3${minor}-cp3${minor}-${own[0]}.whl`;
    throw new TypeError(`wheels: ${file} is not for this engine, whose wheels end in ${wanted}.`);
  }
  return !isPure;
}

/** Modules and packages at the top of the archive, or of the parts that are put there. */
function importNames(entries: readonly ZipEntry[]): string[] {
  const found = new Set<string>();
  for (const { name } of entries) {
    const [top = "", ...below] = name.replace(/^[^/]+\.data\/(?:purelib|platlib)\//, "").split("/");
    const isCode = /\.(?:py|so)$/.test(name);
    if (!isCode) continue;
    const module = below.length > 0 ? top : (top.split(".")[0] ?? "");
    if (/^[A-Za-z_]\w*$/.test(module)) found.add(module);
  }
  return [...found];
}

/** Returns what a wheel needs here, by name. The versions that it asks for are not looked at. */
function dependencies(metadata: string, { python, arch }: EngineInfo): string[] {
  const values: MarkerValues = {
    ...{ extra: "", os_name: "posix", sys_platform: "emscripten", platform_system: "Emscripten" },
    ...{ platform_machine: arch, platform_release: "", platform_version: "", python_full_version: python },
    ...{ python_version: python.split(".").slice(0, 2).join("."), implementation_name: "cpython" },
    ...{ implementation_version: python, platform_python_implementation: "CPython" },
  };
  const [head = ""] = metadata.split(/\r?\n\r?\n/);
  return [...head.matchAll(/^Requires-Dist:\s*([A-Za-z0-9][A-Za-z0-9._-]*)([^;\r\n]*)(?:;([^\r\n]*))?/gm)]
    .filter(([, , , marker]) => marker === undefined || markerHolds(marker, values))
    .map(([, name = ""]) => normal(name));
}
