import { defaultLocalPolicy, type LocalTools, openLocalTools } from "@toolglot/local-tools";
import type { Secrets } from "@toolglot/local-tools/secrets";
import type { ScratchProject } from "./scratch-project.ts";

/** What is done in the project without asking: everything, or everything but commands. */
export type CommandConsent = "allow" | "ask";

/** Shell, edits and reads in the scratch copy. Edits can be undone, so only risky files are asked about; commands can't. `secrets`: values that calls may use. */
export function openLocal(
  { folder, stateDir }: ScratchProject,
  commands: CommandConsent,
  secrets?: Secrets,
): Promise<LocalTools> {
  return openLocalTools({
    roots: folder,
    stateDir,
    ...(secrets && { secrets }),
    policy: (request) => (request.kind === "command" ? commands : defaultLocalPolicy(request)),
    // npm would ask the network for a newer npm.
    shell: { env: { npm_config_update_notifier: "false", NO_COLOR: "1" } },
  });
}
