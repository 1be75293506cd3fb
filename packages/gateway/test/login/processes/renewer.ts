import { createUpstreamLogins } from "../../../src/login/index.ts";

/** Says when it is ready, and at a word asks for a token; prints it. Arguments: state directory, address of the server. */
async function run(): Promise<void> {
  const [, , stateDir = "", url = ""] = process.argv;
  const logins = createUpstreamLogins({ stateDir, servers: [{ name: "tracker", url }] });
  // Unlocked before: what is measured is who renews.
  await logins.info("tracker");
  process.send?.("ready");
  await new Promise((resolve) => process.once("message", resolve));
  const token = await logins.authProviderOf("tracker").token();
  process.send?.(token ?? "none", () => process.disconnect());
}

run().catch((error: unknown) => {
  console.error(error);
  process.exitCode = 1;
});
