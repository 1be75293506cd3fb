/** Uses the system's keychain, and says what came of each step, as JSON. */
import { keychainStore, openSecrets } from "../../src/index.ts";
import { valuesOf } from "../../src/values.ts";

const value = 'line one\n"two" 漢字 😀 \\ end\n';
const said: Record<string, unknown> = {};

try {
  const store = await keychainStore({ service: "toolglot-test" });
  const secrets = await openSecrets({ store, scope: "/a project" });
  const other = await openSecrets({ store, scope: "/another" });
  await secrets.set("TOKEN", value, { keep: true, note: "mine" });
  await secrets.set("TOKEN", `${value}!`, { keep: true });
  await other.set("OTHER", "its own value", { keep: true });
  const anew = await openSecrets({ store, scope: "/a project" });
  said.listed = (await anew.list()).map(({ name, scope, kept }) => ({ name, scope, kept }));
  said.isRead = (await valuesOf(anew).get("TOKEN"))?.value === `${value}!`;
  said.ofAnother = await store.get("OTHER", "/a project");
  said.longest = await store.set("LONG", "*", { value: "x".repeat(1900) }).then(() => store.get("LONG", "*"));
  said.tooLong = await store.set("LONG", "*", { value: "x".repeat(2000) }).catch((error: Error) => error.name);
  said.removed = [await anew.remove("TOKEN"), await anew.remove("TOKEN"), await store.remove("LONG", "*")];
  said.left = (await store.list()).map(({ name }) => name);
} catch (error) {
  const { code, message } = error as Error & { code?: string };
  said.failed = { code, message };
}
process.stdout.write(JSON.stringify(said));
process.exit(0);
