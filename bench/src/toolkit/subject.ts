import { measure, median } from "../measure.ts";

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

const rounds = 15;
const roundMs = 40;

/**
 * Microseconds of processor time per call, one after another: the medians. A round goes through all subjects, so that what
 * else the machine does burdens them alike.
 */
export async function perCall(subjects: readonly Subject[]): Promise<Map<Subject, number>> {
  const counts = new Map<Subject, number>();
  for (const subject of subjects) {
    const { cpu } = await measure(() => calls(subject, 20), { warmMs: 500, rounds: 1, roundMs });
    counts.set(subject, Math.max(1, Math.round((20 * roundMs) / cpu)));
  }
  const times = new Map<Subject, number[]>(subjects.map((subject) => [subject, []]));
  for (let round = 0; round < rounds; round += 1) {
    for (const [subject, count] of counts) {
      const { cpu } = await measure(() => calls(subject, count), { warmMs: 0, rounds: 1 });
      times.get(subject)?.push((cpu * 1000) / count);
    }
  }
  return new Map([...times].map(([subject, found]) => [subject, median(found)]));
}
