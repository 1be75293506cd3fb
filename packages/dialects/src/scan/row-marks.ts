import type { DialectRow, Marker, VariableMarker } from "../table/types.ts";
import { jsonSyntax } from "../values/syntaxes.ts";
import { type Mark, markOf, nameEndOf } from "./marks.ts";
import type { Body, BodyReader, NameReader, Parts, RowMarks } from "./parts.ts";

export type { RowMarks } from "./parts.ts";

const made = new WeakMap<Parts, WeakMap<DialectRow, RowMarks>>();
const all = (marks: readonly (Mark | undefined)[]): Mark[] => marks.filter((mark) => mark !== undefined);
const listEnd: Marker = { text: "]" };
const closesReasoning: readonly Marker[] = [{ text: "</think>" }, { text: "</thinking>" }];

/** Makes a dialect's marks ready; once for each dialect. */
export function marksOf(row: DialectRow, parts: Parts): RowMarks {
  const known = made.get(parts) ?? new WeakMap<DialectRow, RowMarks>();
  made.set(parts, known);
  let marks = known.get(row);
  if (marks) return marks;
  const { call, arguments: args, close: closers = [] } = row;
  const make = (marker: Marker | VariableMarker): Mark => markOf(marker, parts.look);
  const one = (marker: Marker | VariableMarker | undefined): Mark | undefined => marker && make(marker);
  const open = row.open.map(make);
  const close = closers.map(make);
  const [callOpen, callClose] = [one(call.open), one(call.close)];
  const key = typeof args.key === "object" && !("attribute" in args.key) ? args.key : undefined;
  const { id } = call;
  const isHeader = callOpen?.texts[0]?.startsWith("<|channel|>") === true;
  const place = isHeader ? "header" : call.name.at === "only-key" ? "key" : call.name.at;
  marks = {
    row,
    names: parts.names[place] as NameReader,
    body: parts.bodies[bodyIn(row)] as BodyReader,
    syntax: parts.literals?.(row) ?? jsonSyntax,
    typeMarkAt: parts.typeMarkAt,
    isNextInList: row.list && parts.isNextInList,
    open,
    close,
    callOpen,
    callClose,
    header: row.header === undefined ? undefined : parts.runHeader?.(row.header),
    isHeader,
    nameEnds: call.name.at === "text" ? call.name.until.map((marker) => nameEndOf(marker, parts.look)) : [],
    nameStops:
      bodyIn(row) === "json" || bodyIn(row) === "keyed" ? undefined : all([one(args.open), callClose, ...close]),
    idMark: id && "behind" in id ? make({ text: id.behind }) : undefined,
    argOpen: one(args.open),
    argKey: one(key),
    argKeyClose: one(args.keyClose),
    argClose: one(args.close),
    callEnd: make({ text: call.openEnd ?? ">" }),
    argEnd: make({ text: args.openEnd ?? ">" }),
    stops: row.stops.map((text) => make({ text })),
    openers: all([...open, callOpen]),
    closers: all([...close, callClose]),
    literalClosers: all([...close, callClose, row.list ? make(listEnd) : undefined]),
    reasoningClosers: [...closesReasoning, ...row.reasoning.map(({ close: text }) => ({ text }))].map(make),
  };
  if (call.json && parts.asJson) marks = { ...marks, asJson: parts.asJson(marks) };
  known.set(row, marks);
  return marks;
}

const bodyIn = ({ engine, arguments: args }: DialectRow): Body =>
  engine !== "messages" && engine !== "template" ? engine : args.open ? "tags" : "json";

/** Returns the form of a dialect's arguments. */
export const bodyOf = ({ row }: RowMarks): Body => bodyIn(row);

/** Whether a dialect has no marks at all, so that a call without any is no slip. */
export function isMarkless({ row, callOpen }: RowMarks): boolean {
  const unwritten = row.open.every((marker) => marker.optional && (marker.unwritten || !row.write));
  return unwritten && (!callOpen || callOpen.optional);
}
