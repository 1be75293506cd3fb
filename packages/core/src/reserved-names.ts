/** Returns a pattern of whole names. */
const oneOf = (names: string): RegExp => new RegExp(`^(?:${names.replaceAll(" ", "|")})$`);

/** Keywords: no tool and no parameter can have these names. */
export const keywords: Record<"python" | "javascript", RegExp> = {
  python: oneOf(
    "False None True and as assert async await break class continue def del elif else except finally for from global if import in is lambda nonlocal not or pass raise return try while with yield",
  ),
  javascript: oneOf(
    "false null true arguments async await break case catch class const constructor continue debugger default delete do else enum eval export extends finally for function if implements import in instanceof interface let new package private protected prototype public return static super switch this throw try typeof var void while with yield",
  ),
};

/**
 * Names that a program finds already there (builtins, allowed libraries, what the sandbox adds), and anything that
 * looks like an error class: a tool must not hide them. A parameter may be called so, as in `def find(id: str)`.
 */
export const predefined: Record<"python" | "javascript", RegExp> = {
  python: oneOf(
    "abs aiter all anext any ascii bin bool breakpoint bytearray bytes callable chr classmethod compile complex copyright credits delattr dict dir divmod enumerate eval exec exit filter float format frozenset getattr globals hasattr hash help hex id input int isinstance issubclass iter len license list locals map max memoryview min next object oct open ord pow print property quit range repr reversed round set setattr slice sorted staticmethod str sum super tuple type vars zip Any Literal Ellipsis NotImplemented GeneratorExit KeyboardInterrupt Stop(Async)?Iteration SystemExit datetime json math random re statistics [A-Z]\\w*(Error|Exception(Group)?|Warning) Exception(Group)? Warning",
  ),
  javascript: oneOf(
    "undefined NaN Infinity globalThis console print is(Finite|NaN) parse(Float|Int) (de|en)codeURI(Component)? (un)?escape Object Function Boolean Symbol Number BigInt Math Date String RegExp ((Big)?(Ui|I)nt|Float|)\\d*(Clamped)?Array (Weak)?(Map|Set|Ref) FinalizationRegistry (Shared)?ArrayBuffer DataView Atomics JSON Promise Reflect Proxy Iterator Intl Temporal ([A-Z]\\w*)?Error",
  ),
};
