import { nearest } from "@toolglot/internal";
import type { PolicyRule } from "@toolglot/trp-core";
import { slug } from "@toolglot/trp-mcp";
import type { Node } from "jsonc-parser";
import { checkedValue, keysOf, type Report, reportUnknownKeys } from "./check-node.ts";
import { serverSettings } from "./settings-schema.ts";
import { type Path, valueAt } from "./source.ts";

/** What clients let pass unasked, by keys of theirs: all tools of a server, or those in a list. */
const approvingKeys = /^(?:auto_?-?(?:approve|allow|run)|always_?-?allow|trust|trusted|allowed_?-?tools)/i;
/** What takes tools away, and what leaves no others. */
const hidingKeys = /^(?:disabled|excluded?)_?-?tools$/i;
const limitingKeys = /^(?:(?:enabled|included?)_?-?)?tools$/i;

/**
 * Returns the rule that says what a client's key for calls without a question says, as `autoApprove: ["get_order"]`; undefined for any
 * other key, and for one that lets nothing pass.
 */
export function ruleInstead(server: string, key: string, value: Node): PolicyRule | undefined {
  const names = textsIn(value);
  const isNothing = value.type === "array" ? names.length === 0 : value.value !== true && value.type !== "string";
  if (!approvingKeys.test(key) || isNothing) return undefined;
  const tools = value.type !== "array" || names.includes("*") ? ["*"] : names.map(slug);
  return {
    id: `${slug(server).slice(0, 50)}-unasked`,
    decision: "allow",
    which: { families: tools.map((tool) => `cap.mcp.${slug(server)}.${tool}`) },
  };
}

function textsIn(node: Node): string[] {
  return (node.children ?? []).filter(({ type }) => type === "string").map(({ value }) => String(value));
}

/** Tells of a key of a server's entry that the gateway does not have. `known`: those that it has. */
export function reportPassedOver(
  { server, path, known }: { server: string; path: Path; known: readonly string[] },
  { key, keyNode, value }: { key: string; keyNode: Node; value: Node },
  report: Report,
): void {
  const say = (message: string, cure: string, severity: "error" | "notice" = "notice") =>
    report(path, { severity, code: "config/unknown-key", message, cure }, keyNode);
  const setting = (name: string, written: string) =>
    `Write "gateway": { "servers": { ${JSON.stringify(server)}: { ${JSON.stringify(name)}: ${written} } } }.`;
  const rule = ruleInstead(server, key, value);
  const names = textsIn(value);
  const list = hidingKeys.test(key) ? "deny" : limitingKeys.test(key) ? "allow" : undefined;
  if (rule !== undefined) {
    const cure = `If it shall be so, write the rule ${JSON.stringify(rule)} in gateway.policy.rules.`;
    say("is not taken over: here rules decide what runs unasked", cure);
  } else if (list !== undefined && names.length > 0) {
    if (list === "deny" || !names.includes("*")) say("is not taken over", setting(list, JSON.stringify(names)));
  } else if (isSetting(key, value)) {
    // It would be another gateway without a `deny`. Clients have `oauth`, too: nothing is let through for want of it.
    const severity = key === "oauth" ? "notice" : "error";
    say("is a setting of the gateway, which this is not the place for", setting(key, "…"), severity);
  } else if (!approvingKeys.test(key)) {
    const [own] = nearest(key, known, 1);
    const [meant] = own === undefined ? nearest(key, settingKeys, 1) : [];
    const other = meant === undefined ? "Nothing, if it is the client's own." : setting(meant, "…");
    say(
      "is passed over: the gateway has no such key",
      own === undefined ? other : `Write ${JSON.stringify(own)}, if that is meant.`,
    );
  }
}

const settingKeys = keysOf(serverSettings);

/** Whether something is what the gateway has as a setting of a server. */
function isSetting(key: string, node: Node): boolean {
  if (!settingKeys.includes(key)) return false;
  let isRight = true;
  const note: Report = () => {
    isRight = false;
  };
  const whole: Node = { ...node, type: "object", children: node.parent ? [node.parent] : [] };
  reportUnknownKeys(serverSettings, whole, [], note);
  const value = valueAt(whole, (raw) => raw);
  checkedValue(serverSettings, value, [], note);
  return isRight;
}
