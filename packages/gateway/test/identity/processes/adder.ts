import { openTokens } from "../../../src/identity/tokens.ts";

/** Adds five tokens to a file: the name of their principals is the second argument. */
async function run(): Promise<void> {
  const [, , path = "", name = ""] = process.argv;
  const tokens = await openTokens(path);
  for (let count = 0; count < 5; count++) await tokens.add({ principal: `${name}${count}` });
  tokens.close();
}

run().catch((error: unknown) => {
  console.error(error);
  process.exitCode = 1;
});
