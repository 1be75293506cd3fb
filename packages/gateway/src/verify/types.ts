/** What a gateway guarantees, one by one. */
export type GuaranteeName =
  /** Other arguments than those that a person approved are not run. */
  | "changed approval"
  /** An approval is good for one call, of the one who asked. */
  | "replayed approval"
  /** The same effect asked for again, at the same time or after a restart, happens once. */
  | "repeated effect"
  /** The same effect asked for in eight processes on one store at the same time happens once. */
  | "8 processes one winner"
  /** A call whose reply was lost is not made again, under any id, also after a restart. */
  | "lost reply then retry"
  /** A tool that is not there is refused, and nothing runs. */
  | "unknown tool"
  /** Who is not known calls nothing. */
  | "no principal"
  /** A token that has ended or was revoked calls nothing. */
  | "expired token"
  /** A call whose arguments arrived damaged is refused. */
  | "damaged arguments"
  /** A row of the audit log that was changed or cut off is found. */
  | "altered audit row";

/** What was found out about one guarantee. */
export interface VerifyResult {
  name: GuaranteeName;
  /** `N/A`: nothing in this configuration can show it, or it does not apply. That is no pass. */
  state: "PASS" | "FAIL" | "N/A";
  /** Why it is not a pass, or what it does not cover. */
  detail?: string;
}

/** What one check found. */
export type Finding = Omit<VerifyResult, "name">;

export const pass: Finding = { state: "PASS" };

export const fail = (detail: string): Finding => ({ state: "FAIL", detail });

export const notApplicable = (detail: string): Finding => ({ state: "N/A", detail });
