import type { Principal } from "../identity/types.ts";
import { decide } from "../policy/decide.ts";
import type { PolicyDecision, PolicyEngine } from "../policy/types.ts";

const strictness: Record<PolicyDecision["decision"], number> = { allow: 0, approve: 1, deny: 2 };

/**
 * A policy for principals that a frame's `auth_context` has narrowed. A rule may refuse what has a role, so fewer roles
 * could mean more rights: both the narrowed principal and the one that the transport knows are asked, and the stricter
 * answer holds. `fullOf` gives the latter. Rates are counted once, for the latter.
 */
export function strictForNarrowed(
  engine: PolicyEngine,
  fullOf: (narrowed: Principal) => Principal | undefined,
): PolicyEngine {
  return {
    get version() {
      return engine.version;
    },
    deniesAlways(subject) {
      const full = fullOf(subject.principal);
      const asked = full === undefined ? [subject] : [subject, { ...subject, principal: full }];
      return asked.some((each) => engine.deniesAlways?.(each) === true);
    },
    evaluate(input) {
      const full = fullOf(input.principal);
      if (full === undefined) return engine.evaluate(input);
      return Promise.all([
        decide(engine, { ...input, principal: full }),
        decide(engine, { ...input, phase: "start" }),
      ]).then(([wide, narrow]) => (strictness[narrow.decision] > strictness[wide.decision] ? narrow : wide));
    },
  };
}
