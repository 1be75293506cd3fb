import { ToolError } from "@toolglot/core";
import { defaultLocalPolicy, type LocalTools, openLocalTools } from "@toolglot/local-tools";
import type { Secrets } from "@toolglot/secrets";
import type { Project } from "../modules/module.ts";

/** What is done in the project without asking: everything, or everything but commands. */
export type CommandConsent = "allow" | "ask";

/** Whether commands are confined. */
export type SandboxChoice = "bwrap" | "off";

/** How the project is worked on. */
export interface LocalChoices {
  commands: CommandConsent;
  sandbox: SandboxChoice;
  /** Values that calls may use. Default: none. */
  secrets?: Secrets;
}

/** Opens shell, edits and reads in a project. Edits can be undone, so only risky files are asked about; commands can't. */
export function openLocal(
  { folder, stateDir }: Project,
  { commands, sandbox, secrets }: LocalChoices,
): Promise<LocalTools> {
  return openLocalTools({
    roots: folder,
    stateDir,
    ...(secrets && { secrets }),
    policy: (request) => (request.kind === "command" ? commands : defaultLocalPolicy(request)),
    // npm would ask the network for a newer npm.
    shell: { env: { npm_config_update_notifier: "false", NO_COLOR: "1" }, sandbox: sandbox === "bwrap" && "bwrap" },
  });
}

/** Opens the same with commands confined where that works; `whyNot`: why it doesn't. */
export async function openLocalConfined(
  project: Project,
  choices: Omit<LocalChoices, "sandbox">,
): Promise<{ local: LocalTools; whyNot?: string }> {
  const local = await openLocal(project, { ...choices, sandbox: "bwrap" });
  try {
    await local.shell();
    return { local };
  } catch (error) {
    if (!(ToolError.isInstance(error) && "reason" in error.data)) throw error;
    await local.close();
    return { local: await openLocal(project, { ...choices, sandbox: "off" }), whyNot: error.message };
  }
}
