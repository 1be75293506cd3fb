import { isObject } from "@toolglot/internal";
import type { LogRecord } from "../log-records.ts";
import { objectsOf, textOf } from "./fields.ts";

/** An answer of the model that is kept in pieces, one a record: all of them so far. */
interface Draft {
  record: LogRecord;
  model: string | undefined;
  text: string;
  calls: Map<number, { id: string | undefined; name: string; arguments: string }>;
}

/** What a record adds to an answer. */
interface Piece {
  id: string;
  /** The pieces of an answer bear its id. */
  hasId?: boolean;
  isLast: boolean;
  /** It adds nothing, and may come behind the last one. */
  isEmpty?: boolean;
  text?: string | undefined;
  calls?: readonly {
    index: number;
    id?: string | undefined;
    name?: string | undefined;
    arguments?: string | undefined;
  }[];
}

/** Units of an answer at most: of one that is longer the beginning is looked at. */
const maxUnits = 16 * 1024 * 1024;

/** Answers with ids that are under way at one time; of more the oldest is over. */
const maxOpen = 64;

/**
 * Joins answers that stand in a log piece by piece, as servers send them: chunks of OpenAI's and Anthropic's APIs, of Ollama and of
 * llama.cpp. A call or a mark of one is in no piece alone. Answers whose pieces bear an id may be under way at the same time, as in the log
 * of a server; of the others the next record that is no piece of it ends one.
 */
export class StreamedAnswers {
  readonly #drafts = new Map<string, Draft>();
  /** The answer of the last piece, when its pieces bear no id. */
  #open: string | undefined;

  /** Takes a record. Returns those that can be read now: itself, where it is no piece, and an answer that is over. */
  take(record: LogRecord): LogRecord[] {
    // It holds the whole answer.
    if (isWhole(record.value)) this.#drafts.delete(responses);
    const piece = pieceOf(record.value, this.#open);
    if (!piece) return [...this.#close(this.#open), record];
    const { id, hasId = false } = piece;
    const ready = hasId || id === this.#open ? [] : this.#close(this.#open);
    if (!hasId) this.#open = id;
    let draft = this.#drafts.get(id);
    if (draft === undefined) {
      // Only what it took is still to come.
      if (piece.isEmpty) return ready;
      draft = { record, model: undefined, text: "", calls: new Map() };
      this.#drafts.set(id, draft);
      const [oldest] = this.#drafts.keys();
      if (this.#drafts.size > maxOpen) ready.push(...this.#close(oldest));
    }
    const { message } = record.value;
    draft.model ??= textOf(record.value.model) ?? (isObject(message) ? textOf(message.model) : undefined);
    this.#add(draft, piece);
    if (piece.isLast) ready.push(...this.#close(id));
    return ready;
  }

  #add(draft: Draft, { text = "", calls = [] }: Piece): void {
    if (draft.text.length < maxUnits) draft.text += text;
    for (const { index, id, name, arguments: more = "" } of calls) {
      const call = draft.calls.get(index) ?? { id, name: "", arguments: "" };
      draft.calls.set(index, call);
      call.id ??= id;
      call.name ||= name ?? "";
      if (call.arguments.length < maxUnits) call.arguments += more;
    }
  }

  /** Returns the answers at hand: nothing more of them comes. */
  end(): LogRecord[] {
    return [...this.#drafts.keys()].flatMap((id) => this.#close(id));
  }

  #close(id: string | undefined): LogRecord[] {
    if (id === this.#open) this.#open = undefined;
    const draft = id === undefined ? undefined : this.#drafts.get(id);
    if (id === undefined || draft === undefined) return [];
    this.#drafts.delete(id);
    const calls = [...draft.calls.values()].map(({ id, ...call }) => ({ id, function: call }));
    const message = { role: "assistant", content: draft.text, ...(calls.length > 0 && { tool_calls: calls }) };
    return [
      { ...draft.record, value: { ...(draft.model !== undefined && { model: draft.model }), choices: [{ message }] } },
    ];
  }
}

/** Returns what a record adds to an answer; undefined when it is no piece of one. `open`: the answer at hand. */
function pieceOf(value: Record<string, unknown>, open: string | undefined): Piece | undefined {
  const { choices, type, message, delta, done, stop } = value;
  if (Array.isArray(choices)) {
    const [choice] = choices;
    const id = textOf(value.id) ?? "";
    const hasId = id !== "";
    // What the answer took.
    if (choices.length === 0 && value.object === "chat.completion.chunk")
      return { id, hasId, isLast: false, isEmpty: true };
    if (!isObject(choice) || !isObject(choice.delta)) return undefined;
    const calls = objectsOf(choice.delta.tool_calls).map(([call]) => {
      const inner = isObject(call.function) ? call.function : {};
      const index = typeof call.index === "number" ? call.index : 0;
      return { index, id: textOf(call.id), name: textOf(inner.name), arguments: textOf(inner.arguments) };
    });
    return { id, hasId, isLast: textOf(choice.finish_reason) !== undefined, text: textOf(choice.delta.content), calls };
  }
  if (typeof type === "string" && type.startsWith("response.") && !isWhole(value)) {
    const { item, output_index: index = 0 } = value;
    const inner = isObject(item) && type === "response.output_item.added" ? item : {};
    const more = textOf(delta);
    const isText = type === "response.output_text.delta";
    const isCall = inner.type === "function_call" || type === "response.function_call_arguments.delta";
    const call = { index: Number(index), id: textOf(inner.call_id), name: textOf(inner.name), arguments: more };
    return { id: responses, isLast: false, ...(isText && { text: more }), ...(isCall && { calls: [call] }) };
  }
  // Anthropic's events have no id but for the first.
  if (type === "message_start" && isObject(message)) return { id: textOf(message.id) ?? "message", isLast: false };
  if (
    open !== undefined &&
    typeof type === "string" &&
    /^(?:content_block_|message_(?:delta|stop)$|ping$)/.test(type)
  ) {
    const index = typeof value.index === "number" ? value.index : 0;
    const block = isObject(value.content_block) ? value.content_block : {};
    const more = isObject(delta) ? delta : {};
    const isCall = block.type === "tool_use" || more.type === "input_json_delta";
    const call = { index, id: textOf(block.id), name: textOf(block.name), arguments: textOf(more.partial_json) };
    const text = textOf(block.text) ?? textOf(more.text);
    return { id: open, isLast: type === "message_stop", text, ...(isCall && { calls: [call] }) };
  }
  // Ollama and llama.cpp.
  const own = isObject(message) ? message.content : (value.response ?? value.content);
  if (
    (done === false || stop === false || open === local) &&
    typeof own === "string" &&
    (typeof done === "boolean" || typeof stop === "boolean")
  )
    return { id: local, isLast: done === true || stop === true, text: own };
  return undefined;
}

/** The id of an answer in the events of OpenAI's Responses API, and whether one of them is the last, with all of it. */
const responses = "responses";
const isWhole = ({ type, response }: Record<string, unknown>): boolean =>
  /^response\.(?:completed|incomplete|failed)$/.test(`${type}`) && isObject(response);

/** The id of answers that have none. */
const local = "local";
