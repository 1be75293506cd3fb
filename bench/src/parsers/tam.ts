import { createParser, parse, type TamBlock, type TamEvent } from "@toolglot/tam";
import { angles, backticks, inTurn, proseOfAngles, proseOfBackticks } from "../bodies.ts";
import { type Call, type Own, ownSubject, prose } from "./parser.ts";

/** A call as a TAM block. */
const block = ({ target, code }: Call): string => `<|[REQUEST_TOOL]|>
command:»»»Code.Run«««
target:»»»${target}«««
code:»»»
${code}«««
<|[END_TOOL]|>
`;

const subject = ownSubject<TamBlock, TamEvent>(
  "@toolglot/tam",
  "TAM: fields between delimiters, body as it stands",
  (calls) => calls.map((call) => prose + block(call)).join("\n"),
  { parse, createParser },
  (blocks) => blocks.flatMap(({ steps }) => steps.map(({ params }) => params.code ?? "")),
  (event) => (event.type === "param-delta" && event.param === "code" ? event.text : undefined),
);

/** The TAM parser. No peer reads its text. */
export const tam: Own = {
  id: "tam",
  subject,
  alone: block,
  hostile: [
    angles,
    {
      name: "almost-closers",
      about: "two marks of three, spaced ones, and the closers of other families",
      make: inTurn("««", "« « «", "a ««b", "<< <", "x <<< y", "《《", "a >> b"),
    },
    {
      name: "closers",
      about: "closers in lines and in lines of their own, each followed by more of the value",
      make: inTurn("he said ««« and", "«««", "text", "ends with «««", "more"),
    },
    {
      name: "pairs",
      about: "fields inside the value, all of them closed",
      make: inTurn("note:»»»one«««", "name: »»»two\nlines«««", "text"),
    },
    {
      name: "openers",
      about: "lines that would begin a field or a block, none of them closed: each might end the value",
      make: inTurn("note:»»»", "<|[REQUEST_TOOL]|>", "name:>>>", "a:b:»»»c", "<|[END_TOOL]|>"),
      endsValues: true,
    },
    backticks,
  ],
  hostileProse: [
    proseOfAngles,
    proseOfBackticks,
    {
      name: "prose of openers",
      about: "text before the block, full of lines that nearly begin one",
      make: inTurn("<|[REQUEST_TOO", "<|[ REQUEST", "<| [", "<|[END_TOOL]|", "x <|[REQUEST_TOOL]|> y", "command:»»»"),
    },
  ],
  sameText: [],
};
