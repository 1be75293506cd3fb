import type { Node } from "jsonc-parser";
import type { ClientFile } from "./client-files.ts";
import { ruleInstead } from "./passed-over.ts";
import { membersOf, type Source } from "./source.ts";

/** A server of a client's file. */
export interface FoundServer {
  /** Its name in the new file. */
  name: string;
  /** Its name in the client's. */
  trueName: string;
  file: ClientFile;
  /** What the gateway takes of its entry. */
  entry: Record<string, unknown>;
  source: Source;
  node: Node;
}

const schemaUrl = "https://unpkg.com/@toolglot/gateway/toolglot.schema.json";

/** Returns the text of a new configuration: JSON with comments. */
export function configText(servers: readonly FoundServer[], inputs: readonly unknown[]): string {
  const rules = servers.flatMap(({ name, node }) =>
    [...membersOf(node)].flatMap(({ key, value }) => {
      const rule = ruleInstead(name, key, value);
      return rule === undefined ? [] : [`          // ${JSON.stringify(rule)},`];
    }),
  );
  return [
    "// The configuration of `toolglot gateway`. Comments and trailing commas are fine.",
    "{",
    `  "$schema": ${JSON.stringify(schemaUrl)},`,
    ...(servers.length > 0
      ? servers.flatMap(serverLines)
      : ['  "mcpServers": {', '    // "NAME": { "command": "npx", "args": ["-y", "a-server"] },']),
    "  },",
    ...(inputs.length === 0 ? [] : [`  "inputs": ${indented(inputs, 2)},`]),
    '  "gateway": {',
    '    "policy": {',
    "      // Yours to raise whenever a rule changes: it stands in the audit log.",
    '      "version": "1",',
    "      // The first rule that holds decides. When none does: LOW and MEDIUM risk run, HIGH and CRITICAL ask a person.",
    '      "rules": [',
    '        // { "id": "no-deletes", "decision": "deny", "which": { "families": ["cap.mcp.*.delete_*"] } },',
    ...(rules.length === 0
      ? []
      : [
          "        // Your clients let these run unasked. Here somebody is asked, unless you want these rules:",
          ...rules.map((line) => line.slice(2)),
        ]),
    "      ],",
    "    },",
    "    // To see what the rules would do before they do it: every decision is noted, and none is applied.",
    '    // "mode": "observe",',
    "  },",
    "}",
    "",
  ].join("\n");
}

function serverLines({ name, file, entry }: FoundServer, index: number): string[] {
  return [
    ...(index === 0 ? ['  "mcpServers": {'] : []),
    `    // From ${file.title}: ${JSON.stringify(file.path).slice(1, -1)}`,
    `    ${JSON.stringify(name)}: ${indented(entry, 4)},`,
  ];
}

function indented(value: unknown, by: number): string {
  return JSON.stringify(value, undefined, 2).replaceAll("\n", `\n${" ".repeat(by)}`);
}
