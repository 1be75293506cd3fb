import { attempt, isObject } from "@toolglot/internal";
import { localError } from "./errors.ts";

/** What the policy is asked about, as the model wrote it: paths as it calls them, placeholders instead of values. */
export type LocalRequest = LocalAct & {
  /** Names of the values that the act uses; of an edit, those that its `replace` brings into the file, where they stay in the clear. Always given. */
  values?: readonly string[];
};

type LocalAct =
  | { kind: "command"; script: string; cwd?: string }
  /** Something typed for the command that runs: to a shell or an interpreter it may be a command itself. */
  | { kind: "input"; data: string }
  /** `sources`: every `src` that names the file, as written. */
  /** `protected`: why the file counts as risky; undefined for any other file. */
  /** `runsLater`: why the change may make a machine run something later, such as a hook or a build. */
  | { kind: "edit"; path: string; sources: readonly string[]; protected: string | undefined; runsLater?: string }
  | { kind: "read"; path: string; protected: string | undefined };

/** `ask`: the host decides, each time. */
export type LocalVerdict = "allow" | "ask" | "deny";

/** Decides what may be done without asking. Called right before a command or an input, and for all files of a block's edits before any is written. */
export type LocalPolicy = (request: LocalRequest) => LocalVerdict | Promise<LocalVerdict>;

/** Asks the host; see core's `ExecutorContext.approve`. Without one, what is to be asked is denied. */
export type Ask = (request: LocalRequest, reason: string) => Promise<{ approved: boolean; reason?: string }>;

/**
 * Allows everything but risky files, changes of files that run code later, and edits that write a value into a file: these are asked
 * about (ToolsXML specification's rules of execution). Commands run: opening a shell is the host's decision.
 *
 * @example
 * ```ts
 * const policy: LocalPolicy = (request) => (request.kind === "command" ? "ask" : defaultLocalPolicy(request));
 * ```
 */
export const defaultLocalPolicy: LocalPolicy = (request) => (reasonsOf(request).length > 0 ? "ask" : "allow");

/** Resolves when a request is allowed; else rejects with `Denied`. */
export type Decide = (request: LocalRequest) => Promise<void>;

/** Returns the policy's decisions, and the host's where it is `ask`. */
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
  const reasons = reasonsOf(request).join("; ");
  return `${verb} ${request.path}${reasons === "" ? "" : ` (${reasons})`}`;
}

function reasonsOf(request: LocalRequest): string[] {
  const values = request.kind === "edit" ? (request.values ?? []) : [];
  const reasons = [
    "protected" in request ? request.protected : undefined,
    request.kind === "edit" ? request.runsLater : undefined,
    values.length > 0 ? `writes the value of ${values.join(", ")} into it` : undefined,
  ];
  return reasons.filter((reason) => reason !== undefined);
}

/** Endings that editors and people give to copies. */
const copyEnding =
  /(?:~|\.(?:bak|backup|copy|old|orig|save|saved|tmp|temp|swp|swo|swn|\d{4}-\d\d-\d\dt\d\d-\d\d-\d\d\.\d{3}z(?:-\d+)?)\d*)$/;

const riskyNames: readonly (readonly [pattern: RegExp, reason: string])[] = [
  [/^\.env(?!.*\.(?:example|sample|template)$)/, "settings that often hold secrets"],
  [/.\.env$/, "settings that often hold secrets"],
  [/^(?:appsettings.*|local\.settings)\.json$/, "settings that often hold secrets"],
  [/\.(?:pem|key|ppk|p8|p12|pfx|jks|keystore|kdbx?|agekey)$/, "may hold a private key"],
  [/^(?:id_(?:rsa|dsa|ecdsa|ed25519|xmss)(?:_sk)?|ssh_host_\w+_key)$/, "may hold a private key"],
  [/^(?:\.npmrc|\.pypirc|[._]netrc|\.pgpass|pgpass\.conf|\.my\.cnf|\.mylogin\.cnf|\.htpasswd)$/, "may hold passwords"],
  [/^(?:wp-config\.php|\.htaccess)$/, "may hold passwords"],
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
  [/(?:^|\/)config\/database\.yml$/, "may hold passwords"],
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

/** Returns why a file, or what it may be a copy of, counts as risky, in a few words and by its path alone; undefined for any other file. */
export function protectedReason(shownPath: string): string | undefined {
  if (plain.test(shownPath) && !/[. ]\//.test(shownPath) && !hint.test(shownPath.toLowerCase())) return undefined;
  const whole = comparablePath(shownPath);
  const inside = riskyFolders.find(([pattern]) => pattern.test(whole));
  if (inside !== undefined) return inside[1];
  const folder = whole.slice(0, whole.lastIndexOf("/") + 1);
  for (const name of originals(whole.slice(folder.length))) {
    const hit =
      riskyNames.find(([pattern]) => pattern.test(name)) ??
      riskyFolders.find(([pattern]) => pattern.test(folder + name));
    if (hit !== undefined) return hit[1];
  }
  return undefined;
}

/** Returns a name, and those that it may be a copy of. */
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

/** The parts of a name that some file systems don't see. */
const unseen = /[\u200b-\u200f\u202a-\u202e\u2060\u206a-\u206f\ufeff]/g;

/** Returns a path in the form in which tables of file names compare it: without letter case, with `/` between its parts. */
function comparablePath(shownPath: string): string {
  // Most paths are done with here.
  if (plain.test(shownPath) && !/[. ](?:\/|$)/.test(shownPath)) return shownPath.toLowerCase();
  const path = shownPath.normalize("NFKC").toLowerCase().replace(unseen, "").replaceAll("\\", "/");
  // Windows takes a name with a stream, or with dots and blanks behind it, for the name alone.
  const parts = path.split("/").map((part) => (/^\.+$/.test(part) ? part : part.replace(/:.*$|[. ]+$/g, "")));
  return parts.join("/");
}

/** Files that a program runs, or in which it reads what to run. In small letters; `*` stands for part of a name, `**` for everything in a folder. */
const runningFiles: readonly (readonly [reason: string, paths: string])[] = [
  [
    "a shell runs it when it starts or ends",
    ".bashrc .bash_profile .bash_login .bash_logout .profile .zshrc .zshenv .zprofile .zlogin .kshrc config.fish",
  ],
  [
    "an editor runs programs that it names",
    ".vscode/settings.json .vscode/tasks.json .vscode/launch.json *.code-workspace .idea/workspace.xml .idea/runconfigurations/**",
  ],
  ["an editor starts a container by it", ".devcontainer/**"],
  [
    "git runs it as a hook, or what it names",
    ".husky/** .githooks/** lefthook.yml lefthook.yaml .pre-commit-config.yaml",
  ],
  ["git may run programs that it names", ".gitattributes .gitmodules .gitconfig"],
  [
    "a build server runs it",
    ".github/workflows/** .github/actions/** .gitlab-ci.yml .circleci/** .travis.yml azure-pipelines.yml jenkinsfile .buildkite/** .woodpecker* .woodpecker*/**",
  ],
  ["it runs when a shell enters its folder", ".envrc .mise.toml"],
  ["a package manager runs programs that it names", ".yarnrc* .pnpmfile.* bunfig.toml"],
  ["Python runs it whenever it starts", "sitecustomize.py usercustomize.py *.pth"],
  ["an agent starts programs that it names", ".mcp.json .cursor/** .claude/** .codex/** .gemini/**"],
  ["the system starts programs that it names", "*.desktop *.service *.timer crontab"],
];

const patterns = runningFiles.map(([reason, paths]) => {
  const expression = paths
    .replace(/[.]/g, "\\.")
    .replace(/\*+/g, (stars) => (stars === "**" ? ".+" : "[^/]*"))
    .replaceAll(" ", "|");
  return [new RegExp(`(?:^|/)(?:${expression})$`, "s"), reason] as const;
});

/** Scripts of a package that its package manager runs by itself. */
const lifeCycleScript = /^(?:preinstall|install|postinstall|prepare|prepublish.*|prepack|postpack)$/s;
const mentionedScript = /"((?:pre|post)?install|prepare|prepublish[^"]*|(?:pre|post)pack)"/;

/** Returns why a changed file makes a machine run something later, in a few words; undefined for any other file. Decides by the path alone. */
export function runsLaterReason(shownPath: string): string | undefined {
  const path = comparablePath(shownPath);
  return patterns.find(([pattern]) => pattern.test(path))?.[1];
}

/** Checks whether {@link scriptReason} knows what a change of a file makes run later. */
export function hasScripts(shownPath: string): boolean {
  return /(?:^|\/)package\.json$/.test(comparablePath(shownPath));
}

/** Returns why a change of a `package.json` makes a package manager run something later; undefined when no life-cycle script changes. */
export function scriptReason(before: string, after: string): string | undefined {
  const [old, now] = [lifeCycleScripts(before), lifeCycleScripts(after)];
  // Some package managers read what is no JSON.
  const broken = now === undefined && before !== after ? mentionedScript.exec(after)?.[1] : undefined;
  const names = new Set([...(old?.keys() ?? []), ...(now?.keys() ?? [])]);
  const changed = now === undefined ? broken : [...names].find((name) => old?.get(name) !== now.get(name));
  return changed === undefined ? undefined : `a package manager runs its script ${JSON.stringify(changed)} by itself`;
}

/** Returns the scripts as they are written, by name; undefined: the text is no JSON. */
function lifeCycleScripts(text: string): Map<string, string> | undefined {
  const parsed = attempt(() => ({ value: JSON.parse(text) as unknown }));
  if (parsed === undefined) return undefined;
  const scripts = isObject(parsed.value) && isObject(parsed.value.scripts) ? parsed.value.scripts : {};
  const own = Object.entries(scripts).filter(([name]) => lifeCycleScript.test(name));
  return new Map(own.map(([name, script]) => [name, JSON.stringify(script)]));
}
