/** The tools of a manual in a prompt: the name in a heading, the description below it. */
export function readManual(prompt: string): { name: string; description: string }[] {
  const part = /^## (?:Available Tools|可用工具)[^\n]*\n([\s\S]*?)(?=^## |$(?![\s\S]))/m.exec(prompt)?.[1] ?? "";
  return [...part.matchAll(/^### (\S+)[^\n]*\n([^\n]*)/gm)].map(([, name = "", description = ""]) => ({
    name,
    description: description.trim(),
  }));
}
