import type { Node } from "jsonc-parser";
import { type Member, memberOf, membersOf } from "./source.ts";

const groups = ["mcpServers", "servers"];

/** What clients call the parts of a server's entry, without capitals, `_` and `-`. */
const words: readonly (readonly [ours: string, theirs: RegExp])[] = [
  ["type", /^transport(?:type)?$/],
  ["command", /^cmd$/],
  ["env", /^env(?:s|ironment)$/],
  ["cwd", /^workingdir(?:ectory)?$/],
  ["url", /^(?:(?:server|http|sse)ur[il]|uri)$/],
  ["headers", /^httpheaders$/],
];

/**
 * Returns the tree of a client's file in our words, with everything where it stands: its servers are `mcpServers`, also where the client
 * calls them `mcp_servers`, `context_servers`, or `servers` in `mcp`, and their entries have our keys.
 */
export function inOurWords(root: Node): Node {
  if (root.type !== "object") return root;
  const isOurs = [...groups, "gateway"].some((key) => memberOf(root, key) !== undefined);
  const [outer, inner] = isOurs ? [] : serversOf(root);
  const named = (member: Member, key?: string): Member =>
    member.key === key ? { ...member, key: "mcpServers" } : member;
  const members = [...membersOf(root)].flatMap((member) =>
    member.key === outer && inner !== undefined
      ? [...membersOf(member.value)].map((one) => named(one, inner))
      : [named(member.key === "mcp" ? { ...member, value: withPlaces(member.value) } : member, outer)],
  );
  const inOurs = members.map((member) =>
    groups.includes(member.key) ? { ...member, value: entriesOf(member.value) } : member,
  );
  return objectOf(root, inOurs);
}

/** opencode's places, `{env:NAME}`, have no `$`. */
const withPlaces = (node: Node): Node => ({
  ...node,
  ...(node.type === "string" && { value: String(node.value).replace(/(?<!\$)\{(?=(?:env|file):)/g, "${") }),
  ...(node.children && { children: node.children.map(withPlaces) }),
});

const plain = (key: string): string => key.toLowerCase().replace(/[_-]/g, "");

/** Where a client's file has its servers: by the name alone, or what looks like servers, and is named for them. */
function serversOf(root: Node): string[] {
  const named = [...membersOf(root)].find(({ key }) => plain(key).endsWith("mcpservers"));
  const found = named === undefined ? serversElsewhere(root) : [named.key];
  return found !== undefined && /mcp|server/i.test(found.join(".")) ? found : [];
}

/** Where a file has servers under a name of its client's own, as `context_servers`, or `mcp` with `servers`. */
export function serversElsewhere(root: Node): string[] | undefined {
  const areServers = (node: Node): boolean =>
    [...membersOf(node)].some(({ value }) => ["command", "url"].some((key) => memberOf(value, key) !== undefined));
  for (const { key, value } of membersOf(root)) {
    if (areServers(value)) return [key];
    for (const inner of membersOf(value)) if (areServers(inner.value)) return [key, inner.key];
  }
  return undefined;
}

function entriesOf(servers: Node): Node {
  if (servers.type !== "object") return servers;
  return objectOf(
    servers,
    [...membersOf(servers)].map((server) => ({ ...server, value: entryOf(server.value) })),
  );
}

function entryOf(node: Node): Node {
  if (node.type !== "object") return node;
  // Zed had its program in an object of its own.
  const given = [...membersOf(node)].flatMap((member) =>
    member.key === "command" && member.value.type === "object"
      ? [...membersOf(member.value)].map((one) => (one.key === "path" ? { ...one, key: "command" } : one))
      : [member],
  );
  const taken = new Set(given.map(({ key }) => key));
  const members = given.map((member) => {
    const [word] = words.find(([, theirs]) => theirs.test(plain(member.key))) ?? [];
    if (word === undefined || taken.has(word)) return member;
    taken.add(word);
    return { ...member, key: word };
  });
  return objectOf(node, withVariables(members.flatMap((member) => programOf(member, taken))));
}

/** opencode has program and arguments in one list. */
function programOf(member: Member, taken: ReadonlySet<string>): Member[] {
  const [program, ...others] = member.key === "command" && !taken.has("args") ? (member.value.children ?? []) : [];
  if (program === undefined || member.value.type !== "array") return [member];
  const args: Node = { ...member.value, children: others };
  return [{ ...member, value: program }, ...(others.length === 0 ? [] : [{ ...member, key: "args", value: args }])];
}

/** Codex names variables where others have values: of the program, and of headers. */
function withVariables(members: readonly Member[]): Member[] {
  const variable = (node: Node, before = ""): Node => ({ ...node, value: `${before}\${${String(node.value)}}` });
  const found = members.map((member): { of?: "env" | "headers"; more: Member[]; member: Member } => {
    const { key, keyNode, value } = member;
    const { children = [], type } = value;
    if (key === "env_vars" && children.every((child) => child.type === "string"))
      return {
        member,
        of: "env",
        more: children.map((child) => ({ key: String(child.value), keyNode: child, value: variable(child) })),
      };
    if (key === "env_http_headers" && type === "object")
      return {
        member,
        of: "headers",
        more: [...membersOf(value)].map((one) => ({ ...one, value: variable(one.value) })),
      };
    if (key === "bearer_token_env_var" && type === "string")
      return { member, of: "headers", more: [{ key: "Authorization", keyNode, value: variable(value, "Bearer ") }] };
    return { member, more: [] };
  });
  const kept = found.flatMap(({ of, member }) => (of === undefined ? [member] : []));
  for (const { of, more, member } of found) {
    if (of === undefined) continue;
    const at = kept.findIndex(({ key }) => key === of);
    const before = at < 0 ? [] : [...membersOf((kept[at] as Member).value)];
    const all = [...before, ...more.filter(({ key }) => !before.some((one) => one.key === key))];
    kept.splice(at < 0 ? kept.length : at, at < 0 ? 0 : 1, {
      ...member,
      ...kept[at],
      key: of,
      value: objectOf(member.value, all),
    });
  }
  return kept;
}

function objectOf({ offset, length }: Node, members: readonly Member[]): Node {
  const children = members.map(({ key, keyNode, value }): Node => {
    const end = value.offset + value.length;
    return {
      type: "property",
      ...{ offset: keyNode.offset, length: end - keyNode.offset },
      children: [{ ...keyNode, type: "string", value: key }, value],
    };
  });
  return { type: "object", offset, length, children };
}
