import { headOf, OutputLog, tailOf } from "../output/output-log.ts";
import type { ShellResult } from "../shell/types.ts";

/** Returns a shell's result that takes no more than so many UTF-16 units: of its screen the upper rows, of its output head and tail, and the whole in a file. */
export function fitOutput(result: ShellResult, maxChars: number, artifactDir: string): ShellResult {
  const { screen } = result;
  if (screen === undefined) return fitText(result, maxChars, artifactDir);
  const most = Math.floor((maxChars * 3) / 4);
  const text = screen.text.length <= most ? screen.text : headOf(screen.text, most).replace(/\n$/, "");
  return fitText({ ...result, screen: { ...screen, text } }, maxChars - text.length, artifactDir);
}

function fitText(result: ShellResult, maxChars: number, artifactDir: string): ShellResult {
  const { output, outputLength, artifact } = result;
  if (output.length <= maxChars) return result;
  if (artifact === undefined) {
    const log = new OutputLog({ maxChars, artifactDir });
    log.write(output);
    return { ...result, ...log.finish() };
  }
  // The line between head and tail describes the file; it stays as it is, but for the number.
  const lines = [...output.matchAll(/^\[\d+ characters left out here; ([^\n]*)\]$/gm)].map(([, place = ""]) => place);
  const where = lines.find((place) => place.includes(artifact)) ?? `the whole output is in ${artifact}`;
  const line = (cut: number): string => `[${cut} characters left out here; ${where}]`;
  const room = Math.max(0, maxChars - line(outputLength).length - 2);
  const head = headOf(output, Math.ceil(room / 2));
  const tail = tailOf(output, Math.floor(room / 2));
  const between = head === "" || head.endsWith("\n") ? "" : "\n";
  return { ...result, output: `${head}${between}${line(outputLength - head.length - tail.length)}\n${tail}` };
}
