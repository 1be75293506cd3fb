import { checkKeys, defined } from "@toolglot/internal";
import { ToolkitError } from "../errors.ts";
import type { ToolGroup, ToolGroupOptions } from "../types.ts";

/** The group that is always there, always active, and holds what is registered without a group. */
const basic = "basic";

/** The groups of one toolkit. */
export class ToolGroups {
  readonly all: Map<string, ToolGroup> = new Map<string, ToolGroup>([
    [basic, { name: basic, description: "Tools that are always there.", active: true }],
  ]);

  readonly #onChange: () => void;

  /** `onChange` is called after every change of the groups, and of which are active. */
  constructor(onChange: () => void) {
    this.#onChange = onChange;
  }

  /** All but `basic`, in order of creation. */
  get own(): ToolGroup[] {
    return [...this.all.values()].filter(({ name }) => name !== basic);
  }

  isActive(name: string): boolean {
    return this.all.get(name)?.active === true;
  }

  /** Throws unless there is such a group. */
  demand(name: string): void {
    if (this.all.has(name)) return;
    const message = `There is no group ${JSON.stringify(name)}: create it first, with createToolGroup`;
    throw new ToolkitError("toolkit/unknown-group", message, { name });
  }

  create(name: string, options: ToolGroupOptions): void {
    if (typeof name !== "string" || name === "") throw new TypeError("createToolGroup needs a name");
    if (options?.description === undefined) {
      throw new TypeError(`The group ${JSON.stringify(name)} needs a description: models choose groups by it`);
    }
    checkKeys("createToolGroup", options, "description:string active:boolean notes:string");
    if (this.all.has(name)) {
      throw new ToolkitError("toolkit/group-exists", `There is a group ${JSON.stringify(name)} already`, { name });
    }
    const { description, active = false, notes } = options;
    this.all.set(name, { name, description, active, ...defined({ notes }) });
    this.#onChange();
  }

  /** Checks all names before it changes anything. */
  update(names: readonly string[], active: boolean): string[] {
    this.#refuseBasic(names, "updated");
    if (typeof active !== "boolean") throw new TypeError(`active must be true or false, not ${JSON.stringify(active)}`);
    const warnings: string[] = [];
    for (const name of names) {
      const group = this.all.get(name);
      if (group === undefined) warnings.push(unknown(name));
      else this.all.set(name, { ...group, active });
    }
    this.#onChange();
    return warnings;
  }

  remove(names: readonly string[]): string[] {
    this.#refuseBasic(names, "removed");
    const missing = names.filter((name) => !this.all.delete(name));
    this.#onChange();
    return missing.map(unknown);
  }

  /** Activates the named groups, and no others. */
  activateOnly(names: readonly string[]): void {
    for (const group of this.own) this.all.set(group.name, { ...group, active: names.includes(group.name) });
    this.#onChange();
  }

  /** Returns the notes of the active groups, each under a heading; empty when there are none. */
  notes(): string {
    return this.own
      .filter(({ active, notes }) => active && notes)
      .map(({ name, notes }) => `## About the tool group "${name}"\n${notes}`)
      .join("\n\n");
  }

  #refuseBasic(names: readonly string[], verb: string): void {
    checkNames("groups", names);
    if (!names.includes(basic)) return;
    throw new ToolkitError("toolkit/basic-group", `The group "basic" is always active and can't be ${verb}`, {
      name: basic,
    });
  }
}

/** Throws `TypeError` for what is no list of names. */
export function checkNames(what: string, names: unknown): void {
  const wrong = Array.isArray(names) ? names.find((name) => typeof name !== "string") : names;
  if (Array.isArray(names) && names.every((name) => typeof name === "string")) return;
  throw new TypeError(
    `${what} are given as an array of names, not ${wrong === undefined ? "undefined" : JSON.stringify(wrong)}`,
  );
}

function unknown(name: string): string {
  return `There is no group ${JSON.stringify(name)}.`;
}
