import type { TextRule } from "./safety.ts";

/** What has the form of a credential of one kind. Forms with a prefix of their own only: so there is little to mistake. */
const forms: readonly (readonly [string, RegExp])[] = [
  ["a private key", /-----BEGIN (?:[A-Z]{2,10} ){0,2}PRIVATE KEY(?: BLOCK)?-----/],
  ["an AWS access key", /(?<![A-Za-z0-9])(?:AKIA|ASIA)(?![A-Z0-9]{0,12}EXAMPLE)[A-Z0-9]{16}(?![A-Za-z0-9])/],
  ["a GitHub token", /(?<![A-Za-z0-9])(?:gh[pousr]_[A-Za-z0-9]{36}|github_pat_[A-Za-z0-9_]{60})/],
  ["a GitLab token", /(?<![A-Za-z0-9])glpat-[A-Za-z0-9_-]{20}/],
  ["a Slack token", /(?<![A-Za-z0-9])xox[abeoprs]-[0-9A-Za-z-]{20}/],
  ["a Google API key", /(?<![A-Za-z0-9])AIza[0-9A-Za-z_-]{35}(?![0-9A-Za-z_-])/],
  ["a Stripe key", /(?<![A-Za-z0-9])[rs]k_live_[0-9A-Za-z]{20}/],
  ["a model provider's key", /(?<![A-Za-z0-9])sk-(?:ant-|proj-|or-)[0-9A-Za-z_-]{24}/],
  ["an npm token", /(?<![A-Za-z0-9])npm_[A-Za-z0-9]{36}/],
  ["a signed token (JWT)", /(?<![A-Za-z0-9_-])eyJ[A-Za-z0-9_-]{15,2000}\.eyJ[A-Za-z0-9_-]{15,8000}\.[A-Za-z0-9_-]{20}/],
  ["an approval token", /(?<![A-Za-z0-9])appr1\.[A-Za-z0-9_-]{40,4000}\.[A-Za-z0-9_-]{43}/],
];

/** One of them must be there for any form to fit. */
const beginnings =
  /-----BEGIN |A(?:KIA|SIA)[A-Z0-9]|gh[pousr]_|github_pat_|glpat-|xox[abeoprs]-|AIza|[rs]k_live_|sk-[apo]|npm_|eyJ|appr1\./;
const shortest = 20;

/**
 * Refuses texts that hold a credential: what gets into arguments gets into logs, approvals and other people's systems.
 * Where one is meant to be passed, the schema says so: `"x-safety": "secret"` or `"format": "password"`.
 */
export function createSecretRule(): TextRule {
  return {
    name: "secrets",
    check(text, marks) {
      if (text.length < shortest || !beginnings.test(text)) return undefined;
      if (marks.has("secret") || marks.has("password")) return undefined;
      const found = forms.find(([, form]) => form.test(text));
      return found === undefined ? undefined : `looks like it holds ${found[0]}: leave credentials out`;
    },
  };
}
