import { rounds } from "@toolglot/internal/testing";
import fc from "fast-check";
import { expect, it } from "vitest";
import { protectedReason } from "../src/policy.ts";

it.each([
  ".env",
  ".env.local",
  "app/.env.production",
  ".ENV",
  ".envrc",
  "docker/dev.env",
  "server.pem",
  "certs/Server.KEY",
  "a.p12",
  "a.pfx",
  "release.jks",
  "debug.keystore",
  "passwords.kdbx",
  "id_rsa",
  "keys/id_ed25519",
  "ssh_host_rsa_key",
  ".npmrc",
  ".netrc",
  "_netrc",
  ".pypirc",
  ".pgpass",
  ".my.cnf",
  ".htpasswd",
  ".git-credentials",
  "credentials.json",
  "service-account.json",
  "service_account_prod.json",
  "serviceAccountKey.json",
  "client_secret_123.apps.googleusercontent.com.json",
  "application_default_credentials.json",
  "secrets.yaml",
  "terraform.tfstate",
  "terraform.tfstate.backup",
  "data.db",
  "data.sqlite",
  "data.sqlite3",
  "data.sqlite3-wal",
  "data.db-journal",
  "old.mdb",
  ".git/config",
  ".git/hooks/pre-commit",
  "sub/.git",
  "sub/.GIT/HEAD",
  ".ssh/config",
  "home/.ssh/known_hosts",
  ".aws/credentials",
  ".aws/config",
  ".gnupg/trustdb.gpg",
  ".kube/config",
  ".docker/config.json",
  "/srv/app/.env",
  "app\\.env",
  ".config/gh/hosts.yml",
])("%s is protected", (path) => {
  expect(protectedReason(path)).toMatch(/^[a-z][^.]+$/);
});

it.each([
  ".env~",
  ".env.bak",
  ".env.local.orig",
  "id_rsa.bak",
  "server.pem.old",
  "data.db.backup",
  "server.key~",
  ".server.key.swp",
  "..env.swp",
  ".id_rsa.swo",
  "#server.key#",
  ".#id_rsa",
  "credentials.json.save",
  "id_rsa.2026-11-21T21-10-05.123Z",
  "data.db.2026-11-21T21-10-05.123Z-2",
  ".npmrc.bak1",
  ".kube/config.bak",
])("a copy of a protected file is protected: %s", (path) => {
  expect(protectedReason(path)).toBeDefined();
});

it.each([
  ".env.",
  ".env ",
  ".env::$DATA",
  ".git \\config",
  "GIT~1/config",
  ".g\u200cit/config",
  ".ſsh/config",
  ".ENV\ufeff",
])("a spelling that a file system takes for it is protected: %j", (path) => {
  expect(protectedReason(path)).toBeDefined();
});

it.each([
  ".env.example",
  ".env.sample",
  ".env.template",
  ".env.local.example",
  "env.ts",
  "environment.ts",
  "src/env/index.ts",
  "package.json",
  "package-lock.json",
  "pnpm-lock.yaml",
  "test.db.ts",
  "db.ts",
  "keys.ts",
  "key.ts",
  "src/keys/index.ts",
  "public.crt",
  "id_rsa.pub",
  "monkey",
  "turkey.md",
  "secrets.ts",
  "secrets.md",
  "credentials.ts",
  "docs/credentials.md",
  ".gitignore",
  ".gitattributes",
  ".github/workflows/ci.yml",
  "git/config",
  "kube/config",
  ".vscode/settings.json",
  "docker/config.json",
  "config.json",
  "schema.sql",
  "migrations/001.sql",
  "service.json",
  "accounts.json",
  "src/service-account.ts",
  ".",
  "..",
  "",
  "a.bak",
  "README.md~",
])("%s is not protected", (path) => {
  expect(protectedReason(path)).toBeUndefined();
});

it("says why", () => {
  expect([".env", "a.key", "a.db", ".git/config"].map(protectedReason)).toEqual([
    "settings that often hold secrets",
    "may hold a private key",
    "a database",
    "belongs to git itself",
  ]);
});

it("a quick look at a path says what a thorough one says", () => {
  const piece = fc.constantFrom(
    ...[
      ".env",
      ".ssh",
      ".config",
      "gcloud",
      ".kube",
      "config",
      ".git",
      "git~1",
      "id_rsa",
      "x.key",
      ".example",
      "secret",
    ],
    ...["s.json", ".docker", "credentials", ".db", "-wal", ".bak", ".swp", "#", "~", "/", "/", "/", ".", " ", "A", "b"],
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 6 }), (pieces) => {
      const path = pieces.join("");
      // What isn't plain is looked at thoroughly.
      expect(protectedReason(path), path).toBe(protectedReason(`${path}\u200b`));
    }),
    { numRuns: rounds(3000, 100_000) },
  );
});
