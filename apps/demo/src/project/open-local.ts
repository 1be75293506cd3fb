import { ToolError } from "@toolglot/core";
import { defaultLocalPolicy, type LocalTools, openLocalTools } from "@toolglot/local-tools";
import type { ScratchProject } from "./scratch-project.ts";

/** What is done in the project without asking: everything, or everything but commands. */
export type CommandConsent = "allow" | "ask";

/** Whether commands are confined. */
export type SandboxChoice = "bwrap" | "off";

/** Shell, edits and reads in the scratch copy. Edits can be undone, so only risky files are asked about; commands can't. */
export function openLocal(
  { folder, stateDir }: ScratchProject,
  commands: CommandConsent,
  sandbox: SandboxChoice,
): Promise<LocalTools> {
  return openLocalTools({
    roots: folder,
    stateDir,
    policy: (request) => (request.kind === "command" ? commands : defaultLocalPolicy(request)),
    // npm would ask the network for a newer npm.
    shell: { env: { npm_config_update_notifier: "false", NO_COLOR: "1" }, sandbox: sandbox === "bwrap" && "bwrap" },
  });
}

/** The same with commands confined where that works; `whyNot`: why it doesn't. */
export async function openLocalConfined(
  project: ScratchProject,
  commands: CommandConsent,
): Promise<{ local: LocalTools; whyNot?: string }> {
  const local = await openLocal(project, commands, "bwrap");
  try {
    await local.shell();
    return { local };
  } catch (error) {
    if (!(ToolError.isInstance(error) && "reason" in error.data)) throw error;
    await local.close();
    return { local: await openLocal(project, commands, "off"), whyNot: error.message };
  }
}
