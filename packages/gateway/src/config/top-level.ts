import type { Node } from "jsonc-parser";
import { keysOf, type Report, unknownKey } from "./check-node.ts";
import { serversElsewhere } from "./client-words.ts";
import type { InputDefinition } from "./fill.ts";
import { settingsSchema } from "./settings-schema.ts";
import { memberOf, membersOf, type Path, type Source } from "./source.ts";

const groups = ["mcpServers", "servers"] as const;
const known = ["$schema", "mcpServers", "servers", "inputs", "gateway"];
/** Settings of the gateway: it would start without one that stands beside its key, such as its rules or `auth`. */
const settings = keysOf(settingsSchema);

/** Tells what a file as a whole has wrong. */
export function reportTopLevel({ root }: Source, report: Report): void {
  if (root === undefined) return;
  if (root.type !== "object") {
    const cure = 'Write { "mcpServers": { } }.';
    report([], { code: "config/type", message: "must be an object", cure });
    return;
  }
  const unknown = [...membersOf(root)].filter(({ key }) => !known.includes(key));
  if (memberOf(root, "gateway") !== undefined) {
    for (const { key, keyNode } of unknown) report([key], unknownKey(key, known), keyNode);
  } else if (!groups.some((group) => memberOf(root, group) !== undefined)) {
    const meant = unknown
      .map(({ key }) => unknownKey(key, [...groups, "gateway"]))
      .find(({ message }) => /mean/.test(message));
    const elsewhere = serversElsewhere(root);
    if (elsewhere !== undefined) {
      const message = 'holds servers, and is not "mcpServers"';
      const cure = 'Write them under "mcpServers": each with a command, or a url.';
      report(elsewhere, { code: "config/value", message, cure });
      return;
    }
    report([], {
      code: "config/value",
      message: `has no "mcpServers"${meant === undefined ? "" : meant.message.replace("unknown key", "")}`,
      cure: 'Write { "mcpServers": { "NAME": { "command": "…" } } }, or VS Code\'s { "servers": { } }.',
    });
  } else {
    // A client's own keys are passed over, but not what was meant for the gateway.
    const own = unknown.filter(({ key, keyNode }) => {
      const meant = unknownKey(key, ["gateway"]);
      const cure = `Write "gateway": { ${JSON.stringify(key)}: … }.`;
      if (settings.includes(key)) report([key], { ...meant, message: 'belongs under "gateway"', cure }, keyNode);
      else if (/mean/.test(meant.message)) report([key], meant, keyNode);
      else return true;
      return false;
    });
    const [first] = own;
    if (first === undefined) return;
    const names = own.map(({ key }) => key).slice(0, 10);
    report(
      [],
      {
        severity: "notice",
        code: "config/unknown-key",
        message: `passed over: ${names.join(", ")}${own.length > names.length ? ", …" : ""}`,
        cure: "Nothing: these are the client's own.",
      },
      first.keyNode,
    );
  }
}

/** Tells keys that an object has twice. */
export function reportDuplicates({ root }: Source, report: Report): void {
  const look = (node: Node, path: Path): void => {
    const seen = new Set<string>();
    for (const { key, keyNode, value } of membersOf(node)) {
      if (seen.has(key)) {
        const cure = "Keep one of the two, or give them different names.";
        report([...path, key], { code: "config/clash", message: "is there twice", cure }, keyNode);
      }
      seen.add(key);
      look(value, [...path, key]);
    }
    if (node.type === "array")
      for (const [index, item] of (node.children ?? []).entries()) look(item, [...path, index]);
  };
  if (root !== undefined) look(root, []);
}

/** Returns the servers of a file. */
export function serverNodes({ root }: Source, report: Report): { name: string; node: Node; path: Path }[] {
  const found = new Map<string, { name: string; node: Node; path: Path }>();
  for (const group of groups) {
    const servers = memberOf(root, group);
    if (servers !== undefined && servers.type !== "object") {
      const cure = 'Write { "NAME": { "command": "…" } }.';
      report([group], { code: "config/type", message: "must be an object: names, with servers", cure });
    }
    for (const { key: name, keyNode, value } of servers === undefined ? [] : membersOf(servers)) {
      const path = [group, name];
      if (/^\s*$|^__proto__$|^constructor$|^prototype$/.test(name) || name.length > 128) {
        const cure = "Give it a name of 1 to 128 characters that says what it is for.";
        report(path, { code: "config/value", message: "is no name for a server", cure }, keyNode);
      } else if (found.get(name)?.path[0] === "mcpServers" && group === "servers") {
        const cure = "Keep one of the two, or give them different names.";
        report(path, { code: "config/clash", message: "is in mcpServers, too", cure }, keyNode);
      } else found.set(name, { name, node: value, path });
    }
  }
  return [...found.values()];
}

/** Returns VS Code's `inputs` by their ids. */
export function readInputs({ root }: Source): Map<string, InputDefinition> {
  const inputs = new Map<string, InputDefinition>();
  for (const node of memberOf(root, "inputs")?.children ?? []) {
    const textOf = (key: string): string | undefined => {
      const { type, value } = (node.type === "object" ? memberOf(node, key) : undefined) ?? {};
      return type === "string" ? String(value) : undefined;
    };
    const id = textOf("id");
    if (id === undefined) continue;
    const description = textOf("description");
    const fallback = textOf("default");
    inputs.set(id, {
      ...(description !== undefined && { description }),
      ...(fallback !== undefined && { default: fallback }),
    });
  }
  return inputs;
}
