import { asFolder, namespaceOf, namespaces, validatePath } from "./namespaces.ts";
import type { Grant, GrantOperation, NamespaceName, Operation } from "./types.ts";

const operations: readonly Operation[] = ["list", "file", "read_binary", "read_file", "read_re", "write", "delete"];
const short: Readonly<Record<string, readonly Operation[]>> = {
  read: ["read_binary", "read_file", "read_re"],
  stat: ["file"],
};

export interface CheckedGrant {
  readonly prefix: string;
  readonly ops: ReadonlySet<Operation>;
}

/** The grant of all that a namespace allows. A new object: change it as you like, before it is used. */
export function builtinGrant(name: NamespaceName): { prefix: string; ops: Set<GrantOperation> } {
  const found = namespaces.find((namespace) => namespace.name === name);
  if (found === undefined) {
    const names = namespaces.map((namespace) => namespace.name).join(", ");
    throw new TypeError(`There is no namespace ${JSON.stringify(name)}: the namespaces are ${names}`);
  }
  return { prefix: found.prefix, ops: new Set(found.rights) };
}

/** Such grants for several namespaces. */
export function builtinGrants(...names: NamespaceName[]): { prefix: string; ops: Set<GrantOperation> }[] {
  return names.map(builtinGrant);
}

/** Copies grants, so that later changes to them change no handle. `TypeError` for what no namespace can grant. */
export function checkGrants(grants: readonly Grant[], mounted: ReadonlySet<string>): CheckedGrant[] {
  if (!Array.isArray(grants)) throw new TypeError("createHandle needs grants: [{ prefix, ops }]");
  return grants.map((grant: Grant) => {
    const prefix = checkPrefix(grant?.prefix);
    const namespace = namespaceOf(prefix);
    if (namespace === undefined || !mounted.has(namespace.prefix)) {
      throw new TypeError(
        `There is no namespace for the grant ${prefix}: this file system has ${[...mounted].join(", ")}`,
      );
    }
    const ops = new Set(readOps(grant.ops, prefix));
    const excess = [...ops].filter((op) => !namespace.rights.has(op));
    if (excess.length > 0) {
      const allowed = [...namespace.rights].join(", ");
      throw new TypeError(
        `The grant ${prefix} can't hold ${excess.join(", ")}: ${namespace.prefix} allows ${allowed} at most`,
      );
    }
    return { prefix, ops };
  });
}

function checkPrefix(prefix: unknown): string {
  try {
    const path = validatePath(prefix);
    // A namespace may be named without its last slash.
    return namespaces.some((namespace) => namespace.prefix === `${path}/`) ? `${path}/` : path;
  } catch (error) {
    throw new TypeError(`createHandle: ${(error as Error).message}`);
  }
}

function readOps(given: unknown, prefix: string): Operation[] {
  if (typeof given !== "object" || given === null || !(Symbol.iterator in given)) {
    throw new TypeError(`The grant ${prefix} needs ops: an array or a set of ${operations.join(", ")}`);
  }
  return [...(given as Iterable<unknown>)].flatMap((op) => {
    if (operations.includes(op as Operation)) return [op as Operation];
    const meant = typeof op === "string" && Object.hasOwn(short, op) ? short[op] : undefined;
    if (meant !== undefined) return [...meant];
    throw new TypeError(
      `The grant ${prefix} names ${JSON.stringify(op)}: operations are ${operations.join(", ")}, and read, stat for short`,
    );
  });
}

/** Checks whether a path lies at or below a prefix. Whole names: `/workspace/a` holds `/workspace/a/b`, not `/workspace/ab`. */
function isBelow(prefix: string, path: string): boolean {
  return path === prefix || path.startsWith(asFolder(prefix)) || asFolder(path) === prefix;
}

export function isAllowed(grants: readonly CheckedGrant[], path: string, operation: Operation): boolean {
  return grants.some(({ prefix, ops }) => ops.has(operation) && isBelow(prefix, path));
}

/** Returns a line for each prefix: `/workspace/: ls, stat, read, write, delete`. */
export function describeGrants(grants: readonly CheckedGrant[]): string {
  const perPrefix = new Map<string, Set<Operation>>();
  for (const { prefix, ops } of grants) {
    const known = perPrefix.get(prefix) ?? new Set<Operation>();
    for (const op of ops) known.add(op);
    perPrefix.set(prefix, known);
  }
  const words: readonly [string, readonly Operation[]][] = [
    ["ls", ["list"]],
    ["stat", ["file"]],
    ["read", ["read_binary", "read_file", "read_re"]],
    ["write", ["write"]],
    ["delete", ["delete"]],
  ];
  return [...perPrefix]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([prefix, ops]) => {
      const items = words.filter(([, any]) => any.some((op) => ops.has(op))).map(([word]) => word);
      return items.length === 0 ? `${prefix}:` : `${prefix}: ${items.join(", ")}`;
    })
    .join("\n");
}
