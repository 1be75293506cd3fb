import fc from "fast-check";
import { afterEach, expect, it, vi } from "vitest";
import { childEnvironment, defaultEnvironment } from "../../src/shell/environment.ts";
import { noteWithoutBubblewrap } from "../support/bubblewrap.ts";
import { session, ways } from "./sessions.ts";

afterEach(() => vi.unstubAllEnvs());

it("takes what is named, by prefix too, and nothing else", () => {
  const from = {
    HOME: "/h",
    PATH: "/p",
    LC_ALL: "C",
    LC_TIME: "x",
    LCX: "no",
    API_KEY: "no",
    UNSET: undefined,
    HOME2: "no",
  };
  expect(childEnvironment({ from })).toEqual({ HOME: "/h", PATH: "/p", LC_ALL: "C", LC_TIME: "x" });
  expect(childEnvironment({ from, inherit: [], env: { A: "1" } })).toEqual({ A: "1" });
  expect(childEnvironment({ from, inherit: ["API_*"] })).toEqual({ API_KEY: "no" });
  expect(childEnvironment({ from: { LC_X: "() { :; }; echo shellshock" } })).toEqual({});
  expect(childEnvironment({ from, env: { HOME: "/mine" } })).toMatchObject({ HOME: "/mine" });
});

it("never takes a name that isn't on the list", () => {
  fc.assert(
    fc.property(fc.dictionary(fc.stringMatching(/^[A-Z_]{1,12}$/), fc.string()), (from) => {
      for (const name of Object.keys(childEnvironment({ from }))) {
        expect(defaultEnvironment.includes(name) || name.startsWith("LC_")).toBe(true);
      }
    }),
  );
});

noteWithoutBubblewrap();
for (const way of ways) {
  it(`keeps the host's secrets from a shell over ${way}`, async () => {
    vi.stubEnv("TOOLGLOT_TEST_TOKEN", "tok-9f8e7d6c");
    vi.stubEnv("SHOWN_ON_PURPOSE", "visible");
    const { shell } = await session(way, { inheritEnv: [...defaultEnvironment, "SHOWN_*"], env: { ADDED: "yes" } });
    const result = await shell.run("env; export -p; tr '\\0' '\\n' </proc/$$/environ; cat /proc/$$/cmdline");
    expect(result.output).not.toContain("tok-9f8e7d6c");
    expect((await shell.run("echo $SHOWN_ON_PURPOSE $ADDED $TERM $PAGER $HISTFILE.")).output).toBe(
      "visible yes dumb cat .\n",
    );
  });
}
