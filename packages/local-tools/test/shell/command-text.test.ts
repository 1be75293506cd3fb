import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { CommandText, StrayText } from "../../src/shell/command-text.ts";

const artifactDir = join(tmpdir(), "tg-shell-never-written");

it("cuts what is printed between commands never inside a character", () => {
  for (const before of [0, 1, 2]) {
    const stray = new StrayText(() => false);
    stray.write("x".repeat(before));
    for (let n = 0; n < 10; n++) stray.write("💾".repeat(1000));
    const note = stray.take() ?? "";
    expect(note).not.toMatch(/\p{Surrogate}/u);
    expect(note).toContain("characters more");
  }
});

it("shows a command on the screen that the terminal had when it began", () => {
  const text = new CommandText({ maxChars: 1000, artifactDir, columns: 20, rows: 5 });
  const end = (): string => {
    text.endCommand();
    return text.take().output;
  };
  const right = "\u001b[15Gx\n\u001b[999Gy\n";
  text.endCommand();
  text.resize(10, 5);
  text.write(right);
  expect(end()).toBe(`${" ".repeat(14)}x\n${" ".repeat(19)}y\n`);
  text.endCommand();
  text.write(right);
  expect(end()).toBe(`${" ".repeat(9)}x\n${" ".repeat(9)}y\n`);
});

it("takes out of a screen what nobody may read", () => {
  const masker = () => {
    let all = "";
    return {
      write: (text: string) => {
        all += text;
        return "";
      },
      pause: () => "",
      end: () => all.replaceAll("secret", "‹KEY›"),
    };
  };
  const text = new CommandText({ maxChars: 1000, artifactDir, columns: 20, rows: 5, views: true, masker });
  text.write("\u001b[?1049h\u001b[2;1Ha sec\u001b[2;6Hret");
  expect(text.view).toMatchObject({ text: "\na ‹KEY›", row: 2, column: 9 });
});
