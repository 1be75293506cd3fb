import { orRejected } from "@toolglot/internal";
import {
  type Admission,
  type AdmissionResult,
  checkAdmission,
  type ExpectedAdmission,
  type FrameStore,
  isAsExpected,
} from "@toolglot/trp-core/store";
import type { GroupCommit } from "../group-commit.ts";
import { admit } from "./admission.ts";
import { type SameTransactionText, sameTransactionText, writeSameTransaction } from "./answers.ts";
import type { Expectations } from "./expectations.ts";

// The steps that every frame needs of its session, built like those for operations in `operation-steps.ts`.

type AdmitArgs = readonly [
  sessionId: string,
  tenant: string,
  principal: string,
  frameId: string,
  digest: string,
  seq: number,
  calls: readonly (readonly [
    callId: string,
    digest: string,
    timeoutMs: number,
    operation?: readonly [scope: string, key: string],
  ])[],
  asks: string | undefined,
  keepFrames: number | undefined,
  knownOnly: boolean | undefined,
  expected: readonly [token: string, view: string] | undefined,
];

/** The steps of {@link framesBySteps} in the thread. */
export interface FrameSteps {
  /** `true`: the frame was admitted as expected. */
  admit: MayWait<(args: AdmitArgs) => Promise<AdmissionResult | true>>;
  answer(
    args: readonly [beside: SameTransactionText, ifAdmitted: string | undefined],
  ): Promise<undefined | "not-admitted">;
}

/** A step whose request may wait a moment, to go to the thread with the next one. Default: it does not. */
type MayWait<Step> = Step extends (args: infer Args) => infer Result
  ? (args: Args, mayWait?: boolean) => Result
  : never;

/** The methods on the caller's side. */
export function framesBySteps(steps: FrameSteps): Pick<FrameStore, "admit" | "answer"> {
  return {
    admit: (admission: ExpectedAdmission) =>
      orRejected(() => {
        checkAdmission(admission);
        const { expected } = admission;
        return steps.admit(admitArgs(admission), expected !== undefined).then((found): AdmissionResult => {
          if (found !== true) return found;
          const { session } = expected as NonNullable<typeof expected>;
          return { status: "admitted", session: { ...session, features: [...session.features] }, calls: {} };
        });
      }),
    answer: (answer, { ifAdmitted, ...together } = {}) =>
      orRejected(() => steps.answer([sameTransactionText({ ...together, answer }), ifAdmitted])),
  };
}

/** Returns the steps on the side of the file. */
export function frameSteps(commits: GroupCommit, expectations: Expectations): FrameSteps {
  return {
    admit: (args) => {
      const [admission, expected] = admissionOf(args);
      return commits.write((tx) => {
        const found = admit(tx, admission);
        if (expected === undefined || !isAsExpected(found, expected[1])) return found;
        expectations.met(tx, expected[0]);
        return true;
      });
    },
    answer: ([beside, ifAdmitted]) =>
      commits.write((tx) => {
        if (ifAdmitted !== undefined && !expectations.isMet(tx, ifAdmitted)) return "not-admitted";
        writeSameTransaction(tx, beside);
        return undefined;
      }),
  };
}

function admitArgs(admission: ExpectedAdmission): AdmitArgs {
  const { sessionId, tenant, principal, frameId, digest, seq, calls, asks, keepFrames, knownOnly, expected } =
    admission;
  return [
    sessionId,
    tenant,
    principal,
    frameId,
    digest,
    seq,
    calls.map(({ callId, digest: callDigest, timeoutMs, operation }) =>
      operation === undefined
        ? ([callId, callDigest, timeoutMs] as const)
        : ([callId, callDigest, timeoutMs, [operation.scope, operation.key]] as const),
    ),
    asks,
    keepFrames,
    knownOnly,
    expected && [expected.token, expected.session.view],
  ];
}

function admissionOf(args: AdmitArgs): [Admission, AdmitArgs[10]] {
  const [sessionId, tenant, principal, frameId, digest, seq, calls, asks, keepFrames, knownOnly, expected] = args;
  const admission: Admission = {
    ...{ sessionId, tenant, principal, frameId, digest, seq },
    calls: calls.map(([callId, callDigest, timeoutMs, operation]) => {
      const call = { callId, digest: callDigest, timeoutMs };
      return operation === undefined ? call : { operation: { scope: operation[0], key: operation[1] }, ...call };
    }),
    ...(asks !== undefined && { asks }),
    ...(keepFrames !== undefined && { keepFrames }),
    ...(knownOnly !== undefined && { knownOnly }),
  };
  return [admission, expected];
}
