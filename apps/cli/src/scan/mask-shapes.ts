/** What stands in place of a secret. */
const masked = "[masked]";

/**
 * Secrets by their shape: private keys, JSON Web Tokens, keys of providers by their prefixes, credentials in headers and addresses, and
 * values behind a name such as `password`. A group that comes first stays; the rest is masked. Every one is linear.
 */
const shapes: readonly RegExp[] = [
  /-----BEGIN [A-Z ]{0,40}PRIVATE KEY(?: BLOCK)?-----[\s\S]*?(?:-----END [A-Z ]{0,40}PRIVATE KEY(?: BLOCK)?-----|$)/g,
  /\bey[JA-Z][\w-]{8,}\.[\w-]{4,}(?:\.[\w-]*){0,3}/g,
  /\b(?:sk|pk|rk|ak|key|whsec|hf|r8|gsk|xai|tvly|pplx|nvapi|glsa|dop_v1|lin_api|ntn|secret|sq0\w{3}|shp\w{2}|npm|pypi|dckr_pat|dapi|rpa|fw|csk|tgp_v1|phc)[-_][\w-]{16,}/g,
  /\b(?:gh[pousr]_|github_pat_|gl(?:pat|ptt|dt|rt|cbt|soat)-|xox[abeoprs]-|xapp-|A(?:KIA|SIA|IDA|ROA)|AIza|ya29\.|GOCSPX-|SG\.|AC(?=[0-9a-f]{32})|EAA|ATATT|ATCTT|PMAK-)[\w.=-]{12,}/g,
  /\b((?:Bearer|Basic|Token|ApiKey)\s{1,3}(?:\\?["'])?)[\w+/.=~-]{12,}/gi,
  /(\b[a-z][a-z0-9+.-]{1,20}:\/\/[^\s:/@"'\\]{0,100}:)[^\s/@"'\\]{3,200}(?=@)/gi,
  /((?:api|access|secret|private|auth|client|session|refresh|account|encryption|signing)[_-]?(?:key|token|secret|id_token)|passw(?:or)?d|passphrase|secret|token|credentials?|authorization|cookie)((?:\\?["'])?\s{0,3}(?:=>|[:=])\s{0,3}(?:\\?["'])?)(?!\[masked\]|(?:null|true|false|none|undefined|string|required)\b|\$|<|\{|process\.|os\.)[^\s"'\\,;&<>(){}]{6,}/gi,
  /(?<![\w+/-])(?=[\w+/-]{0,200}[A-Z])(?=[\w+/-]{0,200}[a-z])(?=[\w+/-]{0,200}\d)(?:[\w+-]|\/(?=[A-Za-z0-9+]{6})){40,}={0,2}/g,
  /(?<![0-9A-Za-z])(?:0x)?[0-9a-f]{64,}(?![0-9A-Za-z])/gi,
];

/** Returns a text without what looks like a secret. For what is shown: it takes too much rather than too little. */
export function maskShapes(text: string): string {
  let shown = text;
  for (const shape of shapes)
    shown = shown.replace(shape, (found, ...groups: unknown[]) => {
      const kept = groups.filter((one, index): one is string => typeof one === "string" && index < groups.length - 2);
      return found === masked ? found : kept.join("") + masked;
    });
  return shown;
}
