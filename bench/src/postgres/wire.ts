import type { EventEmitter } from "node:events";
import type { Socket } from "node:net";
import { pgOfStore } from "./pg.ts";

/** What went between a process and PostgreSQL. */
export interface Wire {
  /** Statements that the server has completed, `begin` and `commit` among them. */
  statements: number;
  /** How often a connection had nothing under way and sent something: what is sent together is one. */
  "round trips": number;
  transactions: number;
  /** Bytes, both ways. */
  wire: number;
}

/** A connection as `pg` has it: each message of the server is an event. */
interface Connection extends EventEmitter {
  stream: Socket;
  query(text: string): void;
  sync(): void;
  attachListeners(stream: Socket): void;
}

/** Counts what every connection that `pg` opens from now on sends and gets. Returns the counts so far. */
export function countWire(): () => Wire {
  const connection = pgOfStore().Connection.prototype as Connection;
  const { query, sync, attachListeners } = connection;
  const underWay = new WeakMap<Connection, number>();
  const streams = new Set<Socket>();
  const found = { statements: 0, "round trips": 0, transactions: 0 };
  let closed = 0;
  const asked = (one: Connection): void => {
    const before = underWay.get(one) ?? 0;
    if (before === 0) found["round trips"] += 1;
    underWay.set(one, before + 1);
  };
  connection.query = function (text) {
    asked(this);
    query.call(this, text);
  };
  connection.sync = function () {
    asked(this);
    sync.call(this);
  };
  connection.attachListeners = function (stream) {
    streams.add(stream);
    stream.once("close", () => {
      streams.delete(stream);
      closed += stream.bytesRead + stream.bytesWritten;
    });
    this.on("commandComplete", () => {
      found.statements += 1;
    });
    this.on("readyForQuery", ({ status }: { status: string }) => {
      // The first one ends the greeting.
      underWay.set(this, Math.max(0, (underWay.get(this) ?? 0) - 1));
      if (status === "I") found.transactions += 1;
    });
    attachListeners.call(this, stream);
  };
  return () => ({
    ...found,
    wire: [...streams].reduce((sum, { bytesRead, bytesWritten }) => sum + bytesRead + bytesWritten, closed),
  });
}
