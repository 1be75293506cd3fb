import { plain } from "../../bodies.ts";
import { attp } from "../../parsers/attp.ts";
import { dialectSubject } from "../../parsers/dialects.ts";
import type { Subject } from "../../parsers/parser.ts";
import { tam } from "../../parsers/tam.ts";
import { toolsxml } from "../../parsers/toolsxml.ts";
import type { Unit } from "../meter.ts";

export const units = (): Unit[] =>
  [
    attp,
    tam,
    toolsxml,
    { id: "dialects, JSON", subject: dialectSubject("hermes", "auto") },
    { id: "dialects, tags", subject: dialectSubject("qwen-xml", "auto") },
  ].flatMap(readers);

/** A whole answer with three calls of 900 characters, the same in chunks of 8, and one with many calls right after a full collection. */
function readers({ id, subject }: { id: string; subject: Subject }): Unit[] {
  const code = plain.make(900);
  const answer = (calls: number): string =>
    subject.encode(
      Array.from({ length: calls }, (_, n) => ({ target: `write the report ${n}`, code: `# part ${n}\n${code}` })),
    );
  const text = answer(3);
  const many = 200;
  const long = answer(many);
  const chunks = text.match(/[\s\S]{1,8}/g) ?? [];
  const check = (bodies: readonly string[] | undefined, calls = 3): void => {
    if (bodies?.length !== calls || !bodies.every((body) => body.includes(code.trim())))
      throw new Error("a body is wrong");
  };
  type Stream = (chunks: readonly string[], expired: () => boolean) => ReturnType<NonNullable<Subject["stream"]>>;
  return [
    { name: `${id}: an answer, whole`, ready: () => ({ once: async () => check(await subject.parse(text)) }) },
    {
      name: `${id}: a call, after a collection`,
      ready: () => ({
        once: async () => check(await subject.parse(long), many),
        times: many,
        afterCollection: true,
      }),
    },
    {
      name: `${id}: an answer, in chunks of 8`,
      ready: () => ({ once: async () => check(await (subject.stream as Stream)(chunks, () => false)) }),
    },
  ];
}
