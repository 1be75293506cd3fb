import { expect, it } from "vitest";
import { bwrapVersion, classifyFailure, confinementUnavailable, isAtLeast } from "../../src/confinement/probe.ts";
import { localErrorType } from "../../src/errors.ts";

it.each([
  ["bwrap: setting up uid map: Permission denied", "userns-off"],
  [
    "bwrap: No permissions to create new namespace, likely because the kernel does not allow non-privileged user namespaces.",
    "userns-off",
  ],
  ["bwrap: No permissions to create a new namespace, likely because…", "userns-off"],
  ["bwrap: Creating new namespace failed: Operation not permitted", "userns-off"],
  ["bwrap: loopback: Failed RTM_NEWADDR: Operation not permitted", "network-namespace"],
  ["bwrap: Unknown option --cap-drop", "old-bwrap"],
  ["bwrap: Can't find source path /nowhere: No such file or directory", "failed"],
  ["", "failed"],
] as const)("reads %j as %s", (stderr, reason) => {
  expect(classifyFailure(stderr)).toBe(reason);
});

it("reads versions, and nothing else as one", () => {
  expect(bwrapVersion("bubblewrap 0.11.0\n")).toEqual([0, 11]);
  expect(bwrapVersion("bubblewrap 1.2")).toEqual([1, 2]);
  expect(bwrapVersion("usage: bwrap")).toBeUndefined();
  expect(
    [
      [0, 3],
      [0, 4],
      [0, 11],
      [1, 0],
    ].map(([major = 0, minor = 0]) => isAtLeast([major, minor], [0, 4])),
  ).toEqual([...[false, true, true, true]]);
});

it.each(["platform", "no-bwrap", "old-bwrap", "userns-off", "network-namespace", "failed"] as const)(
  "names the reason %s and the cure, and keeps what was printed from the model",
  (reason) => {
    const error = confinementUnavailable(reason, "bwrap: /a/secret/path") as Error & { data: Record<string, unknown> };
    expect(localErrorType(error)).toBe("ShellUnavailable");
    expect(error.data).toMatchObject({ reason, hint: expect.stringMatching(/\w{3}/) });
    expect(error.message).toContain(String(error.data.hint));
    expect(error.message).not.toContain("/a/secret");
    expect(String(error.cause)).toContain("/a/secret");
  },
);
