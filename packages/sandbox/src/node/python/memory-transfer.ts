import { isCount } from "@toolglot/internal";
import type { GuestMemory } from "../../engine.ts";
import { decodeFrame, FrameError } from "./frames.ts";

const pageBytes = 4096;
const maxVariables = 200;
const maxTextLength = 200;

/** Puts together what a child sends of a session's memory. It may be hostile: what makes no sense throws {@link FrameError}. */
export class MemoryTransfer {
  readonly #maxBytes: number;
  #head: Omit<GuestMemory, "pages"> | undefined;
  readonly #parts: Buffer[] = [];
  #received = 0;

  /** `maxBytes`: of the interpreter's memory. */
  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** Takes a frame; the memory when it is the last one. */
  push(body: Buffer): GuestMemory | undefined {
    if (this.#head === undefined) this.#head = this.#readHead(decodeFrame(body));
    else {
      this.#parts.push(body);
      this.#received += body.length;
    }
    const whole = this.#head.numbers.length * pageBytes;
    if (this.#received > whole || (body.length === 0 && whole > 0))
      throw new FrameError("pages that were not announced");
    return this.#received === whole ? { ...this.#head, pages: Buffer.concat(this.#parts) } : undefined;
  }

  #readHead({ type, base, memoryBytes, numbers, ran, variables }: Record<string, unknown>): Omit<GuestMemory, "pages"> {
    const isFit =
      type === "memory" &&
      typeof base === "string" &&
      /^[0-9a-f]{64}$/.test(base) &&
      isCount(memoryBytes) &&
      memoryBytes <= this.#maxBytes &&
      Array.isArray(numbers) &&
      arePages(numbers, memoryBytes) &&
      Array.isArray(variables);
    if (!isFit) throw new FrameError("a memory that makes no sense");
    const texts = variables.slice(0, maxVariables).map((each) => ({
      name: textOf(each?.name),
      type: textOf(each?.type),
      preview: textOf(each?.preview),
    }));
    return { base, memoryBytes, numbers, ran: ran === true, variables: texts };
  }
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value.slice(0, maxTextLength) : "";
}

/** Whether these are numbers of pages, upwards, in a memory of this size. */
function arePages(numbers: readonly unknown[], memoryBytes: number): boolean {
  let before = -1;
  for (const number of numbers) {
    if (!isCount(number) || number <= before || (number + 1) * pageBytes > memoryBytes) return false;
    before = number;
  }
  return true;
}
