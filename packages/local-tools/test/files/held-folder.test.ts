import { closeSync, readdirSync, readFileSync, renameSync, symlinkSync } from "node:fs";
import { afterEach, describe, expect, it } from "vitest";
import { HeldFolder } from "../../src/files/held-folder.ts";
import { type Scratch, scratchFolder } from "../support/scratch.ts";

const own = Object.getOwnPropertyDescriptor(process, "platform") as PropertyDescriptor;
afterEach(() => void Object.defineProperty(process, "platform", own));

function contentOf(folder: HeldFolder, name: string): string {
  const fd = folder.open(name);
  const text = readFileSync(fd, "utf8");
  closeSync(fd);
  return text;
}

/** Another system's way, on this one: what can't be held is compared with what its path leads to. */
describe.runIf(process.platform === "linux").each(["linux", "darwin", "win32"])(
  "a folder held as on %s",
  (platform) => {
    async function begin(): Promise<{ scratch: Scratch; roots: string[] }> {
      const scratch = await scratchFolder({
        "in/a/x.txt": "inside",
        "in/a/b/y.txt": "deeper",
        "out/x.txt": "secret",
        "out/b/y": "secret",
      });
      Object.defineProperty(process, "platform", { ...own, value: platform });
      return { scratch, roots: [scratch.at("in")] };
    }
    const open = (): number => readdirSync("/proc/self/fd").length;

    it("gives what is in it, and leaves nothing open", async () => {
      const { scratch, roots } = await begin();
      const before = open();
      const folder = HeldFolder.open(roots, scratch.at("in/a"));
      const inner = folder.folder("b");
      expect(
        folder
          .entries()
          .map(({ name }) => name)
          .sort(),
      ).toEqual(["b", "x.txt"]);
      expect([contentOf(folder, "x.txt"), contentOf(inner, "y.txt"), inner.path]).toEqual([
        "inside",
        "deeper",
        scratch.at("in/a/b"),
      ]);
      expect(() => folder.folder("x.txt")).toThrow();
      expect(() => folder.open("none")).toThrow(expect.objectContaining({ code: "ENOENT" }));
      inner.close();
      folder.close();
      expect(open()).toBe(before);
    });

    it("is never one outside the roots, nor one behind a link", async () => {
      const { scratch, roots } = await begin();
      symlinkSync("../out", scratch.at("in/link"));
      symlinkSync("../../out/x.txt", scratch.at("in/a/link.txt"));
      symlinkSync("../../out/b", scratch.at("in/a/link"));
      const before = open();
      for (const path of ["out", "in/link", "in/link/b", "in/none"]) {
        expect(() => HeldFolder.open(roots, scratch.at(path)), path).toThrow();
      }
      const folder = HeldFolder.open(roots, scratch.at("in/a"));
      expect(() => folder.open("link.txt")).toThrow(expect.objectContaining({ code: "ELOOP" }));
      expect(() => folder.folder("link")).toThrow();
      folder.close();
      expect(open()).toBe(before);
    });

    it("gives nothing of what takes its path", async () => {
      const { scratch, roots } = await begin();
      const folder = HeldFolder.open(roots, scratch.at("in/a"));
      renameSync(scratch.at("in/a"), scratch.at("moved"));
      symlinkSync("../out", scratch.at("in/a"));
      const before = open();
      if (platform === "linux") expect(contentOf(folder, "x.txt")).toBe("inside");
      else expect(() => folder.open("x.txt")).toThrow();
      // It lies outside the roots by now, or elsewhere.
      expect(() => folder.folder("b")).toThrow();
      expect(open()).toBe(before);
      folder.close();
    });
  },
);
