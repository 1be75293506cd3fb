/** Endings that editors and people give to copies. */
const copyEnding =
  /(?:~|\.(?:bak|backup|copy|old|orig|save|saved|tmp|temp|swp|swo|swn|\d{4}-\d\d-\d\dt\d\d-\d\d-\d\d\.\d{3}z(?:-\d+)?)\d*)$/;

const names: readonly (readonly [pattern: RegExp, reason: string])[] = [
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

const folders: readonly (readonly [pattern: RegExp, reason: string])[] = [
  [/(?:^|\/)(?:\.git|git~\d)(?:\/|$)/, "belongs to git itself"],
  [/(?:^|\/)\.(?:ssh|gnupg)(?:\/|$)/, "belongs to a folder of keys"],
  [/(?:^|\/)\.(?:aws|azure|gcloud|config\/gcloud)(?:\/|$)/, "belongs to a folder of credentials"],
  [/(?:^|\/)\.kube\/config$/, "may hold credentials"],
  [/(?:^|\/)\.docker\/config\.json$/, "may hold credentials"],
  [/(?:^|\/)\.(?:cargo\/credentials(?:\.toml)?|gem\/credentials|config\/gh\/hosts\.yml)$/, "may hold credentials"],
];

/** The parts of a name that some file systems don't see. */
const unseen = /[\u200b-\u200f\u202a-\u202e\u2060\u206a-\u206f\ufeff]/g;

/**
 * Why a file counts as risky (settings with secrets, keys, credentials, databases, git's own files, and copies of such files), in
 * a few words; undefined for any other file. Decides by the path alone, letter case aside, and takes `/` and `\` for separators.
 */
export function protectedReason(shownPath: string): string | undefined {
  const path = shownPath.normalize("NFKC").toLowerCase().replace(unseen, "").replaceAll("\\", "/");
  // Windows takes a name with a stream, or with dots and blanks behind it, for the name alone.
  const parts = path.split("/").map((part) => (/^\.+$/.test(part) ? part : part.replace(/:.*$|[. ]+$/g, "")));
  const whole = parts.join("/");
  const inside = folders.find(([pattern]) => pattern.test(whole));
  if (inside !== undefined) return inside[1];
  const folder = whole.slice(0, whole.lastIndexOf("/") + 1);
  for (const name of originals(parts.at(-1) ?? "")) {
    const hit =
      names.find(([pattern]) => pattern.test(name)) ?? folders.find(([pattern]) => pattern.test(folder + name));
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
