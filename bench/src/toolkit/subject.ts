import { measure } from "../measure.ts";

/** Something that calls a tool once. */
export interface Subject {
  name: string;
  call(): Promise<unknown>;
  /** What the tool gives: a call is worth nothing without it. */
  expected: unknown;
}

const callsPerRound = 200;

/** Microseconds of processor time per call, one after another. */
export async function perCall({ name, call, expected }: Subject): Promise<number> {
  const { cpu } = await measure(
    async () => {
      for (let made = 0; made < callsPerRound; made += 1) {
        const given = await call();
        if (given !== expected) throw new Error(`${name} gave ${JSON.stringify(given)}`);
      }
    },
    { warmMs: 600, rounds: 15, roundMs: 60 },
  );
  return (cpu * 1000) / callsPerRound;
}
