import { isCount } from "@toolglot/internal";
import type { GuestMemory } from "../engine.ts";

const pageBytes = 4096;
const maxVariables = 200;
const maxTextLength = 200;

/** A guest's description of a session's memory, before its pages and files. */
export type MemoryHead = Pick<GuestMemory, "base" | "memoryBytes" | "numbers" | "ran" | "variables">;

/** Reads it. The guest may be hostile: undefined for what makes no sense. `maxBytes`: of the interpreter's memory. */
export function readMemoryHead(message: Record<string, unknown>, maxBytes: number): MemoryHead | undefined {
  const { type, base, memoryBytes, numbers, ran, variables } = message;
  const isFit =
    type === "memory" &&
    typeof base === "string" &&
    /^[0-9a-f]{64}$/.test(base) &&
    isCount(memoryBytes) &&
    memoryBytes <= maxBytes &&
    Array.isArray(numbers) &&
    arePages(numbers, memoryBytes) &&
    Array.isArray(variables);
  if (!isFit) return undefined;
  const texts = variables.slice(0, maxVariables).map((each) => ({
    name: textOf(each?.name),
    type: textOf(each?.type),
    preview: textOf(each?.preview),
  }));
  return { base, memoryBytes, numbers, ran: ran === true, variables: texts };
}

/** Bytes of the pages that it speaks of. */
export function bytesOfPages({ numbers }: MemoryHead): number {
  return numbers.length * pageBytes;
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value.slice(0, maxTextLength) : "";
}

/** Checks whether these are numbers of pages, upwards, in a memory of this size. */
function arePages(numbers: readonly unknown[], memoryBytes: number): boolean {
  let before = -1;
  for (const number of numbers) {
    if (!isCount(number) || number <= before || (number + 1) * pageBytes > memoryBytes) return false;
    before = number;
  }
  return true;
}
