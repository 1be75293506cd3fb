/** What the policy is asked about. Paths as the model should see them. */
export type LocalRequest =
  | { kind: "command"; script: string; cwd?: string }
  /** `protected`: why the file counts as risky; undefined for any other file. */
  | { kind: "edit"; path: string; protected: string | undefined }
  | { kind: "read"; path: string; protected: string | undefined };

/** `ask`: the host decides, each time. */
export type LocalVerdict = "allow" | "ask" | "deny";

/** Decides what may be done without asking. Called before anything of a block runs. */
export type LocalPolicy = (request: LocalRequest) => LocalVerdict;

/** Asks the host; see core's `ExecutorContext.approve`. Without one, what is to be asked is denied. */
export type Ask = (request: LocalRequest, reason: string) => Promise<{ approved: boolean; reason?: string }>;
