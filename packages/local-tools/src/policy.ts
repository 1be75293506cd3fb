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

/** Endings that editors and people give to copies. */
const copyEnding =
  /(?:~|\.(?:bak|backup|copy|old|orig|save|saved|tmp|temp|swp|swo|swn|\d{4}-\d\d-\d\dt\d\d-\d\d-\d\d\.\d{3}z(?:-\d+)?)\d*)$/;

const riskyNames: readonly (readonly [pattern: RegExp, reason: string])[] = [
  [/^\.env(?!.*\.(?:example|sample|template)$)/, "settings that often hold secrets"],
  [/.\.env$/, "settings that often hold secrets"],
  [/\.(?:pem|key|ppk|p8|p12|pfx|jks|keystore|kdbx?|agekey)$/, "may hold a private key"],
  [/^(?:id_(?:rsa|dsa|ecdsa|ed25519|xmss)(?:_sk)?|ssh_host_\w+_key)$/, "may hold a private key"],
  [/^(?:\.npmrc|\.pypirc|[._]netrc|\.pgpass|pgpass\.conf|\.my\.cnf|\.mylogin\.cnf|\.htpasswd)$/, "may hold passwords"],
  [
    /^(?:\.git-credentials|\.dockercfg|\.vault-token|\.boto|\.s3cfg|\.terraformrc|\.gem_credentials)$/,
    "may hold passwords",
  ],
  [/^(?:credentials(?:\.(?:json|toml|ya?ml|ini|xml))?|application_default_credentials\.json)$/, "may hold credentials"],
  [/^(?:client_secrets?|service[-_]?account)(?:key)?(?:[-_.]\S{0,100})?\.json$/, "may hold credentials"],
  [/^(?:\.?secrets?)\.(?:json|toml|ya?ml|ini|env)$/, "may hold credentials"],
  [/\.tfstate$/, "may hold credentials"],
  [/\.(?:db3?|sqlite[23]?|s3db|sl3|mdb|accdb|duckdb|realm)(?:-(?:wal|shm|journal))?$/, "a database"],
];

const riskyFolders: readonly (readonly [pattern: RegExp, reason: string])[] = [
  [/(?:^|\/)(?:\.git|git~\d)(?:\/|$)/, "belongs to git itself"],
  [/(?:^|\/)\.(?:ssh|gnupg)(?:\/|$)/, "belongs to a folder of keys"],
  [/(?:^|\/)\.(?:aws|azure|gcloud|config\/gcloud)(?:\/|$)/, "belongs to a folder of credentials"],
  [/(?:^|\/)\.kube\/config$/, "may hold credentials"],
  [/(?:^|\/)\.docker\/config\.json$/, "may hold credentials"],
  [/(?:^|\/)\.(?:cargo\/credentials(?:\.toml)?|gem\/credentials|config\/gh\/hosts\.yml)$/, "may hold credentials"],
];

/** What every risky path of plain characters holds, in small letters: a quick look that spares most paths the thorough one. */
const hint = new RegExp(
  [...riskyNames, ...riskyFolders]
    .map(([{ source }]) => source.replace(/\(\?!.*\$\)|\(\?:\^\|\\\/\)|\(\?:\\\/\|\$\)|^\^|\$$/g, ""))
    .join("|"),
);
/** ASCII but for `:` and `\`. */
const plain = /^[ -9;-[\]-~]*$/;

/** The parts of a name that some file systems don't see. */
const unseen = /[\u200b-\u200f\u202a-\u202e\u2060\u206a-\u206f\ufeff]/g;

/**
 * Why a file counts as risky (settings with secrets, keys, credentials, databases, git's own files, and copies of such files), in
 * a few words; undefined for any other file. Decides by the path alone, letter case aside, and takes `/` and `\` for separators.
 */
export function protectedReason(shownPath: string): string | undefined {
  if (plain.test(shownPath) && !/[. ]\//.test(shownPath) && !hint.test(shownPath.toLowerCase())) return undefined;
  const path = shownPath.normalize("NFKC").toLowerCase().replace(unseen, "").replaceAll("\\", "/");
  // Windows takes a name with a stream, or with dots and blanks behind it, for the name alone.
  const parts = path.split("/").map((part) => (/^\.+$/.test(part) ? part : part.replace(/:.*$|[. ]+$/g, "")));
  const whole = parts.join("/");
  const inside = riskyFolders.find(([pattern]) => pattern.test(whole));
  if (inside !== undefined) return inside[1];
  const folder = whole.slice(0, whole.lastIndexOf("/") + 1);
  for (const name of originals(parts.at(-1) ?? "")) {
    const hit =
      riskyNames.find(([pattern]) => pattern.test(name)) ??
      riskyFolders.find(([pattern]) => pattern.test(folder + name));
    if (hit !== undefined) return hit[1];
  }
  return undefined;
}

/** A name, and those that it may be a copy of. */
function originals(name: string): string[] {
  const found = [name];
  let rest = name;
  for (let depth = 0; depth < 4; depth++) {
    const hidden = /^\.(.+)\.sw[nop]$/.exec(rest)?.[1];
    const next =
      hidden ??
      rest
        .replace(/^#(.+)#$/, "$1")
        .replace(/^\.#(?=.)/, "")
        .replace(copyEnding, "");
    if (next === rest || next === "") break;
    found.push(next);
    rest = next;
  }
  return found;
}
