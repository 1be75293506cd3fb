import type { StepSetting } from "../hooks/prepare-step.ts";
import type { Settings } from "../settings.ts";

/** What the system message says: the protocol, the tools of the moment, and the host's own text. */
export function systemText(
  { protocol, tools, system }: Pick<StepSetting, "protocol" | "tools" | "system">,
  { locale, mode }: Pick<Settings, "locale" | "mode">,
): string {
  const parts = [protocol.instructions(tools, { locale, mode }), system ?? ""];
  return parts.filter((part) => part !== "").join("\n\n");
}
