// Run where @toolglot/secrets is installed and @napi-rs/keyring isn't: the keychain is refused by its code, all else works.
import assert from "node:assert/strict";
import { keychainStore, openSecrets } from "@toolglot/secrets";

await assert.rejects(keychainStore(), { code: "secrets/keychain-unavailable" });
const secrets = await openSecrets();
await secrets.set("TOKEN", "a-value-of-mine");
assert.equal(secrets.mask("it is a-value-of-mine"), "it is ‹TOKEN›");
