/**
 * Names of the host's variables that a shell gets by default; a `*` at the end stands for any ending. What
 * programs need to find each other, the user's home and the language, and nothing else: keys and tokens stay with the host.
 */
export const defaultEnvironment: readonly string[] = [
  ..."HOME LOGNAME PATH SHELL TERM USER LANG LC_* TZ TMPDIR".split(" "),
  // macOS: without it, terminal programs guess the encoding.
  "__CF_USER_TEXT_ENCODING",
  // Windows: without these, neither sockets nor temporary files nor other programs are found.
  ..."APPDATA COMSPEC HOMEDRIVE HOMEPATH LOCALAPPDATA PATHEXT PROCESSOR_ARCHITECTURE PROGRAMDATA PROGRAMFILES".split(
    " ",
  ),
  ..."SYSTEMDRIVE SYSTEMROOT TEMP TMP USERNAME USERPROFILE WINDIR".split(" "),
];

/** What {@link childEnvironment} is made of. */
export interface ChildEnvironmentOptions {
  /** Names to take over; a `*` at the end stands for any ending. Default {@link defaultEnvironment}. */
  inherit?: readonly string[];
  /** Variables set on top, also those that the list leaves out. */
  env?: Readonly<Record<string, string>>;
  /** Whether a text holds a secret value: such a variable is not taken over, unless `env` sets it. Default: none does. */
  holdsValue?: (text: string) => boolean;
  /** Where they are taken from. Default `process.env`. */
  from?: Readonly<Record<string, string | undefined>>;
}

/**
 * Returns the environment of a child process by allow list: what `inherit` names of `from`, and `env` on top. Shell functions
 * that bash exports (values that start with `()`) are never taken over: they are code. Nor are variables of our own
 * (`TOOLGLOT_…`), whatever the list has. Names are compared without
 * case on Windows only, where the system does so too.
 */
export function childEnvironment(options: ChildEnvironmentOptions = {}): Record<string, string> {
  const { inherit = defaultEnvironment, env = {}, from = process.env, holdsValue = () => false } = options;
  const fold = process.platform === "win32" ? (name: string) => name.toUpperCase() : (name: string) => name;
  const exact = new Set(inherit.filter((name) => !name.endsWith("*")).map(fold));
  const prefixes = inherit.filter((name) => name.endsWith("*")).map((name) => fold(name.slice(0, -1)));
  const result: Record<string, string> = {};
  for (const [name, value] of Object.entries(from)) {
    if (value === undefined || value.startsWith("()")) continue;
    const folded = fold(name);
    if (folded.startsWith("TOOLGLOT_") || holdsValue(value)) continue;
    if (exact.has(folded) || prefixes.some((prefix) => folded.startsWith(prefix))) result[name] = value;
  }
  return { ...result, ...env };
}
