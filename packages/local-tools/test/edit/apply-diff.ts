/** Applies a unified diff as `patch` does, without any tolerance: every context and removed line must be there. */
export function applyDiff(before: string, diff: string): string {
  const olds = split(before);
  const news: string[] = [];
  let at = 0;
  const lines = split(diff);
  let index = lines[0]?.startsWith("--- ") === true ? 2 : 0;
  while (index < lines.length) {
    const [, oldStart = "", oldCount = "", newStart = "", newCount = ""] =
      /^@@ -(\d+),(\d+) \+(\d+),(\d+) @@\n$/.exec(lines[index] as string) ?? fail(`no hunk: ${lines[index]}`);
    index++;
    const start = Number(oldStart) - (oldCount === "0" ? 0 : 1);
    while (at < start) news.push(olds[at++] as string);
    if (news.length !== Number(newStart) - (newCount === "0" ? 0 : 1)) fail("the new start is wrong");
    let [oldLeft, newLeft] = [Number(oldCount), Number(newCount)];
    while (oldLeft > 0 || newLeft > 0) {
      const kind = (lines[index] as string)[0];
      let text = (lines[index++] as string).slice(1);
      if (lines[index]?.startsWith("\\ No newline at end of file") === true && lines[index]?.length === 28) {
        text = text.slice(0, -1);
        index++;
      }
      if (kind !== "+") {
        if (olds[at++] !== text) fail(`${JSON.stringify(text)} is not in line ${at}`);
        oldLeft--;
      }
      if (kind !== "-") {
        news.push(text);
        newLeft--;
      }
    }
  }
  return [...news, ...olds.slice(at)].join("");
}

function split(text: string): string[] {
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
}

function fail(message: string): never {
  throw new Error(message);
}
