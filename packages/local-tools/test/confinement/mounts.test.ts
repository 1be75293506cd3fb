import { expect, it } from "vitest";
import { type MountRequest, mountArguments, planMounts, shows } from "../../src/confinement/mounts.ts";

const nothing = { pinned: [], kept: [], missing: [], limits: [] };
const plain: MountRequest = {
  readable: "all",
  hidden: [],
  shown: [],
  writable: ["/work/project"],
  repositories: nothing,
  kernel: ["/proc/sys"],
  cwd: "/work/project/sub",
  folder: "/tmp/own",
};
const folder = (path: string) => ({ path, kind: "folder" as const });
const file = (path: string) => ({ path, kind: "file" as const });

function entries(request: Partial<MountRequest>): string[] {
  return [...planMounts({ ...plain, ...request })].map(([path, { is }]) => `${path} ${is}`);
}

it("mounts folders before what is in them, and everything else read-only", () => {
  const all = entries({});
  expect(all[0]).toBe("/ read");
  expect(all).toEqual(
    expect.arrayContaining([
      "/tmp empty",
      "/var/tmp empty",
      "/dev devices",
      "/proc processes",
      "/proc/sys read",
      "/tmp/own read",
    ]),
  );
  expect(all.indexOf("/tmp empty")).toBeLessThan(all.indexOf("/tmp/own read"));
  expect(all.at(-1)).toMatch(/\/(own|project|tmp) /);
});

it("keeps a root visible that lies in a hidden folder, and hides a folder that lies in a root", () => {
  const all = entries({
    hidden: [folder("/home"), folder("/home/me/.config"), folder("/home/me/.config/app/keys"), file("/home/me/.netrc")],
    shown: ["/home/me"],
    writable: ["/home/me/.config/app"],
  });
  expect(all.filter((line) => line.startsWith("/home"))).toEqual([
    "/home empty",
    "/home/me read",
    "/home/me/.config empty",
    "/home/me/.netrc blank-file",
    "/home/me/.config/app write",
    "/home/me/.config/app/keys empty",
  ]);
});

it("shows a root that is itself a hidden place", () => {
  expect(entries({ hidden: [folder("/home/me/.ssh")], writable: ["/home/me/.ssh"] })).toContain("/home/me/.ssh write");
});

it("shows the folder that the shell starts in", () => {
  expect(entries({}).join()).not.toContain("sub");
  expect(entries({ cwd: "/tmp/there" })).toContain("/tmp/there read");
});

it("doesn't name what lies in a hidden folder, and nothing of what can't be read anyway", () => {
  const inHidden = entries({ hidden: [folder("/home"), folder("/home/other/.ssh"), file("/tmp/agent.sock")] });
  expect(inHidden.join()).not.toMatch(/other|agent/);
  const listed = entries({
    readable: [{ path: "/usr" }, { path: "/bin", target: "usr/bin" }],
    hidden: [folder("/run")],
  });
  expect(listed).toEqual(expect.arrayContaining(["/usr read", "/bin link"]));
  expect(listed.join()).not.toMatch(/\/run|^\/ /);
});

it("covers git's hooks in the roots, whatever a deeper place is", () => {
  const plan = planMounts({
    ...plain,
    repositories: {
      pinned: ["/work/project/.git"],
      kept: ["/work/project/.git/hooks"],
      missing: [file("/work/project/.git/config.worktree"), folder("/work/project/a/.git")],
      limits: [],
    },
  });
  expect(mountArguments(plan, { file: "/tmp/own/f", folder: "/tmp/own/d" }).join(" ")).toContain(
    [
      "--bind /work/project/.git /work/project/.git",
      "--ro-bind /work/project/.git/hooks /work/project/.git/hooks",
      "--ro-bind /tmp/own/f /work/project/.git/config.worktree",
      "--ro-bind /tmp/own/d /work/project/a/.git",
    ].join(" "),
  );
});

it("knows what of the host is to be seen", () => {
  const plan = planMounts({ ...plain, hidden: [folder("/home")], shown: ["/home/me"] });
  const seen = ["/etc/passwd", "/work/project/a", "/home/me/x", "/home", "/home/other", "/tmp", "/tmp/x", "/tmp/own/a"];
  expect(seen.map((path) => shows(plan, path))).toEqual([true, true, true, false, false, false, false, true]);
});
