/**
 * The realm between the program's and the host: it checks and writes down what a program says. Runs inside the engine:
 * its text is taken, so it must not speak of anything outside itself. The program never reaches this realm, so its
 * built-ins are what they are.
 *
 * @param {(text: string) => boolean} host Takes JSON text; true when no more output is wanted.
 * @param {(bridge: any) => any} programSide Made in the program's realm.
 * @param {{ base64: any, makeArguments: any, makeCleaner: any, makeInspector: any, makeKinds: any, makeLayout: any, makeRandom: (seed: string) => () => number, makeVariables: any, nearest: (name: string, names: string[]) => string | undefined }} parts
 */
export function makeBridge(
  host,
  programSide,
  { base64, makeArguments, makeCleaner, makeInspector, makeKinds, makeLayout, makeRandom, makeVariables, nearest },
) {
  const maxLengthInFlight = 16 * 1024 * 1024;
  /** Text to and from tools until the engine is made to look for cycles. */
  const collectAfterLength = 4 * 1024 * 1024;
  const maxCycles = 100_000;
  const stderrMethods = ["warn", "error", "trace", "assert"];
  const consoleMethods = "log info debug dir table group groupCollapsed groupEnd".split(" ").concat(stderrMethods);

  // No error of this realm should reach the program; one that does must lead to no function of this realm.
  for (const name of Object.getOwnPropertyNames(globalThis)) {
    if (!name.endsWith("Error")) continue;
    const { prototype } = /** @type {any} */ (globalThis)[name];
    Reflect.deleteProperty(prototype, "constructor");
    Reflect.deleteProperty(prototype, "toString");
  }
  Object.setPrototypeOf(Error.prototype, null);

  /** @type {any} */
  let request;
  /** As stacks name the program: each of a session has a name of its own, and the first that of any other. */
  let programFile = "";
  let programs = 0;
  /** @type {any} */
  let program;
  /** @type {any} */
  let cleaner;
  /** @type {any} */
  let inputs;
  /** @type {any} */
  let inspector;
  let calls = 0;
  let inFlight = 0;
  let passed = 0;
  /** @type {number[]} */
  const lengths = [];
  /** @type {number[]} */
  const lines = [];
  let over = false;
  let quiet = false;
  let groups = 0;
  /** @type {number | undefined} */
  let time;
  /** Milliseconds that timers have taken it ahead of that, where nobody waited for them. */
  let ahead = 0;
  let hasTimers = false;
  const now = () => (time ?? Date.now()) + ahead;
  let refusal = { message: "", hint: "" };
  let valueText = "";
  /** Of errors: the call that failed, and what to do about it. @type {WeakMap<object, { id: number, hint?: string }>} */
  const causes = new WeakMap();

  /** The innermost line of a stack that is the program's, as `    at f (line 3)`; empty when there is none. */
  const programFrame = (/** @type {string} */ stack) => {
    const line = lineIn(stack);
    const at = stack.indexOf(`${programFile}:`);
    const name = stack.slice(stack.lastIndexOf("at ", at) + 3, at - 2);
    if (line === 0) return "";
    return name === "<anonymous>" || name === "" ? `    at line ${line}` : `    at ${name} (line ${line})`;
  };
  const lineIn = (/** @type {string} */ stack) => {
    const at = stack.indexOf(`${programFile}:`) + programFile.length + 1;
    return at <= programFile.length ? 0 : Number.parseInt(stack.slice(at, at + 9), 10) || 0;
  };
  const programLine = () => lineIn(new Error().stack ?? "");

  const refuse = (/** @type {any} */ why) => {
    refusal = why;
    return why.kind;
  };

  /** The number of the call that was made, or why it was not, as the kind of error. */
  const call = (/** @type {number} */ index, /** @type {number} */ count, /** @type {unknown} */ given) => {
    const tool = request.tools[index];
    const line = programLine();
    const taken = inputs.read(tool, count, given);
    if (taken.text === undefined) return refuse(taken);
    if (inFlight + taken.text.length > maxLengthInFlight) {
      const message = "cannot be called: await the calls in flight first, their arguments are too large together";
      return refuse(inputs.refuse(tool, message, "R"));
    }
    const id = calls++;
    lines[id] = line;
    lengths[id] = taken.text.length;
    inFlight += taken.text.length;
    passed += taken.text.length;
    // The host ends the run at the first call that is too many; nothing later is of interest.
    if (over || id > request.limits.maxToolCalls) return id;
    const changed = taken.notes.length > 0 ? `,"conversions":${JSON.stringify(taken.notes)}` : "";
    host(`{"type":"call","id":${id},"tool":${index},"line":${line},"args":${taken.text}${changed}}`);
    return id;
  };

  const print = (/** @type {string} */ method, /** @type {ArrayLike<unknown>} */ values) => {
    if (method === "groupEnd") groups = Math.max(groups - 1, 0);
    const nothing = method === "groupEnd" || (method === "assert" && values[0]);
    if (over || quiet || nothing) return;
    const { maxLogBytes } = request.limits;
    let shown = values;
    if (method === "assert") {
      const rest = Array.prototype.slice.call(values, 1);
      shown =
        typeof rest[0] === "string"
          ? [`Assertion failed: ${rest[0]}`, ...rest.slice(1)]
          : ["Assertion failed", ...rest];
    } else if (method === "dir" || method === "table") shown = [values[0]];
    let text = inspector.format(shown, maxLogBytes + 1);
    if (groups > 0) text = text.replace(/^/gm, "  ".repeat(Math.min(groups, 20)));
    const stream = stderrMethods.includes(method) ? "stderr" : "stdout";
    quiet = host(`{"type":"log","stream":"${stream}","text":${JSON.stringify(text)}}`);
    if (method === "group" || method === "groupCollapsed") groups++;
  };

  const makeCycle = () => {
    /** @type {{ self: unknown }} */
    const cycle = { self: undefined };
    cycle.self = cycle;
    return cycle;
  };

  /**
   * The engine looks for cycles when it has made half as many blocks as there were, whatever their size: a program whose
   * few blocks are large would keep its garbage until memory is full. So it gets many small ones.
   */
  const collect = () => {
    passed = 0;
    try {
      const first = new WeakRef(makeCycle());
      for (let made = 0; made < maxCycles && first.deref() !== undefined; made++) makeCycle();
    } catch {
      // Memory is full: the program will hear of it.
    }
  };

  /** What the program's realm gets of this one; functions that take and give values without a realm. */
  const makeOwn = () => ({
    Error,
    tools: 0,
    identifier: (/** @type {number} */ index) => request.tools[index].identifier,
    /** Of a tool whose name has a dot: the word before it, or the one after it. */
    member: (/** @type {number} */ index, /** @type {number} */ part) => request.tools[index].member?.[part],
    methods: consoleMethods.length,
    method: (/** @type {number} */ index) => consoleMethods[index],
    call,
    print,
    clock: now,
    timed: () => {
      if (!hasTimers) host('{"type":"timers"}');
      hasTimers = true;
    },
    setClock: (/** @type {number} */ to) => {
      time = to;
    },
    draw: () => draw(),
    answered: (/** @type {number} */ id) => {
      inFlight -= lengths[id] ?? 0;
    },
    refused: () => refusal.message,
    failed: (/** @type {any} */ error, /** @type {number} */ id) => {
      try {
        if ((typeof error === "object" && error !== null) || typeof error === "function") {
          causes.set(error, id === -1 ? { id, hint: refusal.hint } : { id });
        }
      } catch {
        // At the end of the stack or of the memory; the program gets its error all the same.
      }
    },
    result: undefined,
    assigned: false,
  });
  /** @type {any} */
  let own;
  /** @type {() => number} */
  let draw;
  /** @type {() => object[]} */
  let variables;

  /** Done before the first program. */
  const open = () => {
    own = makeOwn();
    draw = makeRandom(request.seed);
    const kinds = makeKinds();
    program = programSide(own);
    program.begin(false);
    variables = makeVariables(program.global, kinds);
    cleaner = makeCleaner(program.isPromise, kinds, base64);
    inputs = makeArguments(cleaner, nearest);
    inspector = makeInspector(program.isPromise, programFrame, kinds, makeLayout);
  };

  /** @param {any} error @param {string} name */
  const read = (error, name) => {
    try {
      const value = error[name];
      return typeof value === "string" ? value : "";
    } catch (fault) {
      if (fault instanceof Error && fault.name === "InternalError") throw fault;
      return "";
    }
  };

  /** An error of the program as JSON text: `{ type, message, stack, line?, call?, hint?, thrown? }`. */
  const describe = (/** @type {any} */ error) => {
    if (!Error.isError(error)) {
      const own = typeof error === "string" ? error : read(error ?? {}, "message");
      const message = own || `${inspector.inspect(error, 2000)} was thrown`;
      return JSON.stringify({ type: "Error", message, stack: "", thrown: true });
    }
    const name = read(error, "name");
    let made = "";
    try {
      made = read(error.constructor, "name");
    } catch {}
    const builtIn = /^(Error|(Type|Range|Reference|Syntax|Eval|URI|Internal|Aggregate)Error)?$/.test(name);
    const cause = causes.get(error);
    return JSON.stringify({
      type: builtIn && made !== "" ? made : name,
      message: read(error, "message"),
      stack: read(error, "stack").slice(0, 20_000),
      ...(cause === undefined || cause.id < 0 ? {} : { call: cause.id, line: lines[cause.id] }),
      ...(cause?.hint ? { hint: cause.hint } : {}),
    });
  };

  /** @param {unknown} returned */
  const finish = (returned) => {
    over = true;
    if (returned === undefined && !own.assigned) return '{"status":"missing"}';
    /** @type {object[]} */
    const notes = [];
    try {
      valueText = cleaner.clean(
        returned === undefined ? own.result : returned,
        request.limits.maxResultBytes,
        "result",
        notes,
      );
    } catch (error) {
      if (error instanceof cleaner.TooLarge) return JSON.stringify({ status: "large", message: error.message });
      if (!(error instanceof cleaner.Unfit)) return `{"status":"error","error":${describe(error)}}`;
      const path = error.path === "" ? "" : error.path.startsWith("[") ? error.path : `.${error.path}`;
      return JSON.stringify({
        status: "error",
        error: { type: "TypeError", message: `__result__${path} is ${error.message}`, stack: "" },
      });
    }
    return JSON.stringify({ status: "ok", conversions: notes });
  };

  return {
    /** Makes ready for a program, and gives its name in stacks. @param {string} text The request, without the code. */
    start(text) {
      request = JSON.parse(text);
      time = request.clock;
      ahead = 0;
      hasTimers = false;
      calls = 0;
      inFlight = 0;
      lengths.length = 0;
      lines.length = 0;
      over = false;
      quiet = false;
      groups = 0;
      valueText = "";
      if (program === undefined) open();
      else if (request.session?.reseed) draw = makeRandom(request.seed);
      own.tools = request.tools.length;
      own.result = undefined;
      own.assigned = false;
      program.begin(request.session !== undefined);
      for (const tool of request.tools) inputs.prepare(tool);
      programs++;
      programFile = programs === 1 ? "program.js" : `program-${programs}.js`;
      return programFile;
    },
    declare: (/** @type {string} */ names) => program.declare(names),
    /** Identifiers of tools that a variable hides, as JSON. */
    hidden: () =>
      JSON.stringify(request.tools.map((/** @type {any} */ tool) => tool.identifier).filter(program.isHidden)),
    /** Names of the global object, as JSON. */
    names: () => JSON.stringify(Object.getOwnPropertyNames(program.global)),
    /** Milliseconds until the program's next timer, as text; -1 when it has none. `text`: empty while the program's body runs. */
    wait(/** @type {string} */ text) {
      const left = program.wait(text !== "");
      return `${left === undefined ? -1 : Math.max(0, left)}`;
    },
    /** Calls the next timer, whose time it is from then on. */
    fire() {
      ahead += Math.max(0, program.wait(false) ?? 0);
      program.fire();
    },
    /** What programs have left on the global object, as JSON; nothing of it runs. */
    variables: () => JSON.stringify(variables()),
    /** @param {string} text */
    settle(text) {
      passed += text.length;
      if (passed > collectAfterLength) collect();
      program.settle(text);
    },
    describe,
    finish,
    value: () => valueText,
  };
}
