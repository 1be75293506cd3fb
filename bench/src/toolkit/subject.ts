import { cpuNow, inTurns, measure, median } from "../measure.ts";

/** Something that calls a tool once. */
export interface Subject {
  name: string;
  call(): Promise<unknown>;
  /** What the tool gives: a call is worth nothing without it. */
  expected: unknown;
}

async function calls({ name, call, expected }: Subject, count: number): Promise<void> {
  for (let made = 0; made < count; made += 1) {
    const given = await call();
    if (given !== expected) throw new Error(`${name} gave ${JSON.stringify(given)}`);
  }
}

const roundMs = 40;

/** Microseconds of processor time per call, one after another: the medians. */
export async function perCall(subjects: readonly Subject[]): Promise<Map<Subject, number>> {
  const counts = new Map<Subject, number>();
  for (const subject of subjects) {
    const { cpu } = await measure(() => calls(subject, 20), { warmMs: 500, rounds: 1, roundMs });
    counts.set(subject, Math.max(1, Math.round((20 * roundMs) / cpu)));
  }
  const count = (subject: Subject): number => counts.get(subject) ?? 1;
  const times = await inTurns(subjects, { rounds: 15, clock: cpuNow }, (subject) => calls(subject, count(subject)));
  return new Map([...times].map(([subject, found]) => [subject, (median(found) * 1000) / count(subject)]));
}
