import { localError } from "./errors.ts";

/** What the policy is asked about. Paths as the model calls them. */
export type LocalRequest =
  | { kind: "command"; script: string; cwd?: string }
  /** Something typed for the command that runs: to a shell or an interpreter it may be a command itself. */
  | { kind: "input"; data: string }
  /** `protected`: why the file counts as risky; undefined for any other file. */
  /** `sources`: every `src` that names the file, as written. */
  | { kind: "edit"; path: string; sources: readonly string[]; protected: string | undefined }
  | { kind: "read"; path: string; protected: string | undefined };

/** `ask`: the host decides, each time. */
export type LocalVerdict = "allow" | "ask" | "deny";

/** Decides what may be done without asking. Called right before a command or an input, and for all files of a block's edits before any is written. */
export type LocalPolicy = (request: LocalRequest) => LocalVerdict | Promise<LocalVerdict>;

/** Asks the host; see core's `ExecutorContext.approve`. Without one, what is to be asked is denied. */
export type Ask = (request: LocalRequest, reason: string) => Promise<{ approved: boolean; reason?: string }>;

/** Everything is allowed but risky files, which are asked about (ToolsXML specification's rules of execution). Commands run: opening a shell is the host's decision. */
export const defaultLocalPolicy: LocalPolicy = (request) =>
  "protected" in request && request.protected !== undefined ? "ask" : "allow";

/** Resolves when a request is allowed; else rejects with `Denied`. */
export type Decide = (request: LocalRequest) => Promise<void>;

/** The policy's decisions, and the host's where it says `ask`. */
export function decideBy(policy: LocalPolicy, ask: Ask | undefined): Decide {
  return async (request) => {
    const verdict = await policy(request);
    if (verdict === "allow") return;
    const what = wordsFor(request);
    if (verdict !== "ask") throw localError("Denied", `${what} is not allowed here.`);
    if (ask === undefined) throw localError("Denied", `${what} needs the user's consent, and there is nobody to ask.`);
    const { approved, reason } = await ask(request, `${what}. Allow it?`);
    if (approved !== true)
      throw localError(
        "Denied",
        `${what} was denied${reason === undefined ? "" : `: ${reason.replace(/[.\s]+$/, "")}`}.`,
      );
  };
}

function wordsFor(request: LocalRequest): string {
  if (request.kind === "command") return "Running this command";
  if (request.kind === "input") return "Typing this";
  const verb = request.kind === "edit" ? "Changing" : "Reading";
  return `${verb} ${request.path}${request.protected === undefined ? "" : ` (${request.protected})`}`;
}
