import { openSecrets } from "@toolglot/secrets";
import { expect, it, onTestFinished } from "vitest";
import { openLocalTools } from "../../src/index.ts";
import { scratchFolder } from "../support/scratch.ts";

it.each(["pty", "pipe"] as const)("tells no inner name of a script with a value, over %s", async (backend) => {
  const { path } = await scratchFolder();
  const secrets = await openSecrets();
  await secrets.set("TOKEN", "tok-0123456789ABCDEF");
  const local = await openLocalTools({ roots: path, stateDir: `${path}-state`, secrets, shell: { backend } });
  onTestFinished(() => local.close());
  const told: string[] = [];
  const run = async (script: string): Promise<string> => {
    const result = await local.command({ script }, { onOutput: (text) => told.push(text) });
    told.push(JSON.stringify(result));
    return result.output;
  };
  await run(`sleep 0.4 "$KARYI{TOKEN}" 2>/dev/null & sleep 30 "x$KARYI{TOKEN}" 2>/dev/null &`);
  await run("cat <<'E' >/dev/null && sleep 31 &\na $KARYI{TOKEN} b\nE");
  expect(await run("sleep 0.5; jobs; jobs -l; kill %3; wait %3")).toMatch(/‹TOKEN›/);
  await run("set -x; : $KARYI{TOKEN}; set; declare -p; compgen -v; set +x");
  await run("set -v; : '$KARYI{TOKEN}'; set +v; history; fc -l; set -u; : $KARYI{TOKEN} $nothing");
  await run("x() { :; }; declare -f; trap; false $KARYI{TOKEN} ||  no_such_command $KARYI{TOKEN}");
  await run("echo done");
  expect(told.join("\n")).not.toMatch(/__v[0-9a-f]{8}|END_[0-9a-f]{8}|tok-0123/);
});
