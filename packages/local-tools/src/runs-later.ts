import { isObject } from "@toolglot/internal";
import { attempt } from "./errors.ts";
import { comparablePath } from "./path-form.ts";

/** Files that a program runs, or in which it reads what to run. In small letters; `*` stands for part of a name, `**` for everything in a folder. */
const runningFiles: readonly { reason: string; paths: readonly string[] }[] = [
  {
    reason: "a shell runs it when it starts or ends",
    paths: [
      ".bashrc",
      ".bash_profile",
      ".bash_login",
      ".bash_logout",
      ".profile",
      ".zshrc",
      ".zshenv",
      ".zprofile",
      ".zlogin",
      ".kshrc",
      "config.fish",
    ],
  },
  {
    reason: "an editor runs programs that it names",
    paths: [
      ".vscode/settings.json",
      ".vscode/tasks.json",
      ".vscode/launch.json",
      "*.code-workspace",
      ".idea/workspace.xml",
      ".idea/runconfigurations/**",
    ],
  },
  { reason: "an editor starts a container by it", paths: [".devcontainer/**"] },
  {
    reason: "git runs it as a hook, or what it names",
    paths: [".husky/**", ".githooks/**", "lefthook.yml", "lefthook.yaml", ".pre-commit-config.yaml"],
  },
  { reason: "git may run programs that it names", paths: [".gitattributes", ".gitmodules", ".gitconfig"] },
  {
    reason: "a build server runs it",
    paths: [
      ".github/workflows/**",
      ".github/actions/**",
      ".gitlab-ci.yml",
      ".circleci/**",
      ".travis.yml",
      "azure-pipelines.yml",
      "jenkinsfile",
      ".buildkite/**",
      ".woodpecker*",
      ".woodpecker*/**",
    ],
  },
  { reason: "it runs when a shell enters its folder", paths: [".envrc", ".mise.toml"] },
  { reason: "a package manager runs programs that it names", paths: [".yarnrc*", ".pnpmfile.*", "bunfig.toml"] },
  { reason: "Python runs it whenever it starts", paths: ["sitecustomize.py", "usercustomize.py", "*.pth"] },
  {
    reason: "an agent starts programs that it names",
    paths: [".mcp.json", ".cursor/**", ".claude/**", ".codex/**", ".gemini/**"],
  },
  { reason: "the system starts programs that it names", paths: ["*.desktop", "*.service", "*.timer", "crontab"] },
];

const patterns = runningFiles.map(({ reason, paths }) => {
  const expressions = paths.map((path) =>
    path.replace(/[.]/g, "\\.").replace(/\*+/g, (stars) => (stars === "**" ? ".+" : "[^/]*")),
  );
  return [new RegExp(`(?:^|/)(?:${expressions.join("|")})$`, "s"), reason] as const;
});

/** Scripts of a package that its package manager runs by itself. */
const lifeCycleScript = /^(?:preinstall|install|postinstall|prepare|prepublish.*|prepack|postpack)$/s;
const mentionedScript = /"((?:pre|post)?install|prepare|prepublish[^"]*|(?:pre|post)pack)"/;

/** Why a changed file makes a machine run something later, in a few words; undefined for any other file. Decides by the path alone. */
export function runsLaterReason(shownPath: string): string | undefined {
  const path = comparablePath(shownPath);
  return patterns.find(([pattern]) => pattern.test(path))?.[1];
}

/** Whether {@link scriptReason} says what a change of a file makes run later. */
export function hasScripts(shownPath: string): boolean {
  return /(?:^|\/)package\.json$/.test(comparablePath(shownPath));
}

/** Why a change of a `package.json` makes a package manager run something later; undefined when no life-cycle script changes. */
export function scriptReason(before: string, after: string): string | undefined {
  const [old, now] = [lifeCycleScripts(before), lifeCycleScripts(after)];
  // Some package managers read what is no JSON.
  const broken = now === undefined && before !== after ? mentionedScript.exec(after)?.[1] : undefined;
  const names = new Set([...(old?.keys() ?? []), ...(now?.keys() ?? [])]);
  const changed = now === undefined ? broken : [...names].find((name) => old?.get(name) !== now.get(name));
  return changed === undefined ? undefined : `a package manager runs its script ${JSON.stringify(changed)} by itself`;
}

/** The scripts as they are written, by name; undefined: the text is no JSON. */
function lifeCycleScripts(text: string): Map<string, string> | undefined {
  const parsed = attempt(() => ({ value: JSON.parse(text) as unknown }));
  if (parsed === undefined) return undefined;
  const scripts = isObject(parsed.value) && isObject(parsed.value.scripts) ? parsed.value.scripts : {};
  const own = Object.entries(scripts).filter(([name]) => lifeCycleScript.test(name));
  return new Map(own.map(([name, script]) => [name, JSON.stringify(script)]));
}
