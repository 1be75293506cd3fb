/** One call of a tool, as a model of native calls writes it. */
export interface ScriptedCall {
  name: "search_documents" | "fetch_document" | "query_sql";
  input: Record<string, unknown>;
}

// biome-ignore lint/suspicious/noExplicitAny: a script knows what the tools give, as the model does that reads it.
type Value = any;

/** A task, with what a model writes for it. Results are real ones; the scripts have none in them. */
interface Script {
  question: string;
  /** Native calls and calls of the router: turn after turn, from the results so far. The calls of a turn don't need each other. */
  turns: ((seen: Value[][]) => ScriptedCall[])[];
  /** What a model reads out of these results. */
  reads(seen: Value[][]): Value;
  /** Code mode: the program in Python whose value is what `reads` gives. */
  program: string;
  /** What is written instead where the model may read in between: programs, turn after turn, from the values so far. */
  programs?: ((values: Value[]) => string)[];
  /** The answer, in every form the same. */
  says(value: Value): string;
  /** What has to come out. */
  expected: string;
}

/** A script, with what its calls need of each other. */
export interface WholeTask extends Script {
  group: string;
}

const search = (query: string, top_k = 5): ScriptedCall => ({ name: "search_documents", input: { query, top_k } });
const fetch = (document_id: string): ScriptedCall => ({ name: "fetch_document", input: { document_id } });
const sql = (text: string): ScriptedCall => ({ name: "query_sql", input: { sql: text } });
const first = (seen: Value[][]): Value => seen[0]?.[0];
const lines = (text: string, has: RegExp): string[] =>
  text
    .split("\n")
    .filter((line) => has.test(line))
    .map((line) => line.replace(/^(?:-|\d+\.) /, ""));
const list = (items: readonly unknown[]): string => items.join("; ");

const byStatus = "SELECT status, COUNT(*) AS n FROM orders GROUP BY status ORDER BY n DESC, status";
const topProducts =
  "SELECT p.name, SUM(i.quantity * i.unit_price) AS revenue FROM order_items i JOIN products p ON p.id = i.product_id GROUP BY p.id ORDER BY revenue DESC LIMIT 5";
const silver = "SELECT COUNT(*) AS n FROM customers WHERE tier = 'silver'";
const late =
  "SELECT COUNT(*) AS n FROM orders WHERE status <> 'cancelled' AND julianday(delivered_on) - julianday(promised_on) > 7";
const stoves = "SELECT name, price FROM products WHERE category = 'stoves' ORDER BY price";
const overdue = "SELECT id, amount FROM refunds WHERE julianday(paid_on) - julianday(requested_on) > 10 ORDER BY id";
const lanternTickets = "SELECT id, priority, status FROM tickets WHERE title LIKE '%营灯%' OR title LIKE '%antern%'";
const openTickets =
  "SELECT priority, COUNT(*) AS n FROM tickets WHERE status = 'open' GROUP BY priority ORDER BY priority";
const deliveries =
  "SELECT c.country, julianday(o.delivered_on) - julianday(o.ordered_on) AS days FROM orders o JOIN customers c ON c.id = o.customer_id WHERE o.delivered_on IS NOT NULL";
const lowStock = "SELECT name, category, stock FROM products WHERE stock < 12 ORDER BY stock";
const ticketTexts = "SELECT id, title, body FROM tickets ORDER BY id";
const bestBuy =
  "SELECT p.name, p.category FROM order_items i JOIN products p ON p.id = i.product_id JOIN orders o ON o.id = i.order_id WHERE o.customer_id = (SELECT customer_id FROM orders GROUP BY customer_id ORDER BY SUM(total) DESC LIMIT 1) ORDER BY i.unit_price DESC, p.id LIMIT 1";
const refundReasons = "SELECT reason, COUNT(*) AS n FROM refunds GROUP BY reason ORDER BY n DESC, reason LIMIT 1";
const delayed = (days: number | string): string =>
  `SELECT id FROM orders WHERE status <> 'cancelled' AND julianday(delivered_on) - julianday(promised_on) > ${days} ORDER BY id`;
const english = [
  ...["battery-safety", "incident-runbook", "membership", "refunds", "restocking", "returns", "shipping-delays"],
  "warranty",
];
const pairs = ["refunds", "restocking", "returns", "shipping-delays", "warranty"];
const complaints = [
  "my lantern gets hot while charging",
  "the parcel is nine days late",
  "how do I become a gold member",
  "the zip of my backpack broke after two years",
  "I want to send a sleeping bag back",
  "when do I get my money back",
];
const ordersIn = (text: string): string[] => [...new Set(text.match(/\b1\d{3}\b/g) ?? [])];

const scripts: Readonly<Record<string, readonly Script[]>> = {
  "one call": [
    {
      question: "Which document says how long our warranty is?",
      turns: [() => [search("warranty how long", 3)]],
      reads: (seen) => first(seen)[0].title,
      program: `__result__ = search_documents("warranty how long", top_k=3)["items"][0]["title"]`,
      says: (title) => `The document "${title}".`,
      expected: `The document "Warranty terms".`,
    },
    {
      question: "Which documents fit when a customer asks about refunds? Four at most.",
      turns: [() => [search("refunds", 4)]],
      reads: (seen) => first(seen).map((hit: Value) => hit.document_id),
      program: `__result__ = [hit["document_id"] for hit in search_documents("refunds", top_k=4)["items"]]`,
      says: (ids) => `${ids.join(", ")}.`,
      expected: "refunds, returns.",
    },
    {
      question: "When was the document returns last changed?",
      turns: [() => [fetch("returns")]],
      reads: (seen) => first(seen).updated,
      program: `__result__ = fetch_document("returns")["updated"]`,
      says: (day) => `On ${day}.`,
      expected: "On 2026-07-20.",
    },
    {
      question: "What does the document membership say about the silver tier?",
      turns: [() => [fetch("membership")]],
      reads: (seen) => lines(first(seen).text, /Silver/),
      program: `text = fetch_document("membership")["text"]
__result__ = [line.lstrip("- ") for line in text.split("\\n") if "silver" in line.lower()]`,
      says: list,
      expected: "Silver: more than 3,000 yuan in 12 months. Free shipping.",
    },
    {
      question: "How many orders are there in each status?",
      turns: [() => [sql(byStatus)]],
      reads: (seen) => first(seen).rows,
      program: `__result__ = query_sql("${byStatus}")["rows"]`,
      says: (rows) => list(rows.map(({ status, n }: Value) => `${status} ${n}`)),
      expected: "delivered 114; returned 9; cancelled 6; processing 6; shipped 5",
    },
    {
      question: "What are the top 5 products by revenue?",
      turns: [() => [sql(topProducts)]],
      reads: (seen) => first(seen).rows,
      program: `__result__ = query_sql("${topProducts}")["rows"]`,
      says: (rows) => list(rows.map(({ name, revenue }: Value) => `${name} ${revenue}`)),
      expected:
        "Trail 45 backpack 33263; Basecamp 4 tent 29880; Storm shell jacket 29190; Ridge 3 tent 28883; Down vest 25740",
    },
  ],
  combined: [
    {
      question: "What does the document membership say about silver, and how many silver customers have we?",
      turns: [() => [fetch("membership"), sql(silver)]],
      reads: ([[document, counted]]: Value) => [lines(document.text, /Silver/), counted.rows[0].n],
      program: `text = fetch_document("membership")["text"]
found = [line.lstrip("- ") for line in text.split("\\n") if "silver" in line.lower()]
__result__ = [found, query_sql("${silver}")["rows"][0]["n"]]`,
      says: ([found, n]) => `${list(found)} There are ${n}.`,
      expected: "Silver: more than 3,000 yuan in 12 months. Free shipping. There are 10.",
    },
    {
      question: "Which document is about late parcels, and how many orders came more than 7 days late?",
      turns: [() => [search("delayed delivery policy", 3), sql(late)]],
      reads: ([[hits, counted]]: Value) => [hits[0].title, counted.rows[0].n],
      program: `hits = search_documents("delayed delivery policy", top_k=3)["items"]
__result__ = [hits[0]["title"], query_sql("${late}")["rows"][0]["n"]]`,
      says: ([title, n]) => `"${title}"; ${n} orders.`,
      expected: '"Shipping delay policy"; 7 orders.',
    },
    {
      question: "How long is the warranty on stoves (document warranty), and which stoves do we sell at what price?",
      turns: [() => [fetch("warranty"), sql(stoves)]],
      reads: ([[document, sold]]: Value) => [lines(document.text, /Stoves/), sold.rows],
      program: `text = fetch_document("warranty")["text"]
found = [line.lstrip("- ") for line in text.split("\\n") if "stoves" in line.lower()]
__result__ = [found, query_sql("${stoves}")["rows"]]`,
      says: ([found, rows]) => `${list(found)} ${list(rows.map(({ name, price }: Value) => `${name} ${price}`))}`,
      expected: "Stoves and lighting: 24 months. Ember gas stove 269; Titanium cook set 529; Ember twin stove 648",
    },
    {
      question: "Were refunds and zh-refunds changed on the same day, and which refunds took longer than 10 days?",
      turns: [() => [fetch("refunds"), fetch("zh-refunds"), sql(overdue)]],
      reads: ([[one, other, paid]]: Value) => [one.updated, other.updated, paid.rows],
      program: `days = [fetch_document(name)["updated"] for name in ["refunds", "zh-refunds"]]
__result__ = days + [query_sql("${overdue}")["rows"]]`,
      says: ([one, other, rows]) =>
        `${one === other ? "Yes" : "No"}; overdue: ${list(rows.map(({ id, amount }: Value) => `${id} (${amount})`))}`,
      expected: "Yes; overdue: 501 (658); 504 (1458); 505 (3437); 508 (2767)",
    },
    {
      question: "Which document warns about lantern batteries, and what tickets on lanterns are there?",
      turns: [() => [search("lantern battery overheats", 3), sql(lanternTickets)]],
      reads: ([[hits, tickets]]: Value) => [hits[0].document_id, tickets.rows],
      program: `hits = search_documents("lantern battery overheats", top_k=3)["items"]
__result__ = [hits[0]["document_id"], query_sql("${lanternTickets}")["rows"]]`,
      says: ([id, rows]) =>
        `${id}; ${list(rows.map((row: Value) => `ticket ${row.id}, ${row.priority}, ${row.status}`))}`,
      expected: "battery-safety; ticket 2, high, open",
    },
    {
      question: "What are the severities in incident-runbook, and how many tickets are open in each priority?",
      turns: [() => [fetch("incident-runbook"), sql(openTickets)]],
      reads: ([[document, open]]: Value) => [lines(document.text, /^- SEV/), open.rows],
      program: `text = fetch_document("incident-runbook")["text"]
found = [line.lstrip("- ") for line in text.split("\\n") if line.startswith("- SEV")]
__result__ = [found, query_sql("${openTickets}")["rows"]]`,
      says: ([found, rows]) => `${list(found)} ${list(rows.map(({ priority, n }: Value) => `${priority} ${n}`))}`,
      expected:
        "SEV1: nobody can order. Call the person on duty at once.; SEV2: some customers cannot pay, or prices are wrong. Call within 15 minutes.; SEV3: anything that can wait until morning. Open a ticket. high 1; low 1",
    },
  ],
  batches: [
    {
      question: "Which of all our documents were last changed before June 2026?",
      turns: [() => [search("*", 20)], (seen) => first(seen).map((hit: Value) => fetch(hit.document_id))],
      reads: ([, documents = []]) =>
        documents
          .filter(({ updated }) => updated < "2026-06-01")
          .map(({ document_id }) => document_id)
          .sort(),
      program: `ids = [hit["document_id"] for hit in search_documents("*", top_k=20)["items"]]
answers = router.batch([{"name": "fetch_document", "args": {"document_id": id}} for id in ids])
documents = [answer["value"] for answer in answers if answer["ok"]]
__result__ = sorted(d["document_id"] for d in documents if d["updated"] < "2026-06-01")`,
      says: (ids) => `${ids.join(", ")}.`,
      expected: "membership, warranty, zh-onboarding, zh-privacy, zh-warranty.",
    },
    {
      question: `Which document answers each of these letters best? ${complaints.map((text, at) => `(${at + 1}) ${text}`).join(" ")}`,
      turns: [() => complaints.map((text) => search(text, 1))],
      reads: ([answers = []]) => answers.map((hits) => hits[0].document_id),
      program: `letters = [
${complaints.map((text) => `    "${text}",\n`).join("")}]
answers = router.batch([{"name": "search_documents", "args": {"query": text, "top_k": 1}} for text in letters])
__result__ = [answer["value"]["items"][0]["document_id"] for answer in answers]`,
      says: (ids) => ids.map((id: string, at: number) => `(${at + 1}) ${id}`).join(" "),
      expected: "(1) battery-safety (2) feedback-october (3) membership (4) warranty (5) warranty (6) refunds",
    },
    {
      question: `Were the English and the Chinese version of each of these changed on the same day: ${pairs.join(", ")}? The Chinese ones are named zh-….`,
      turns: [() => pairs.flatMap((id) => [fetch(id), fetch(`zh-${id}`)])],
      reads: ([documents = []]) => pairs.filter((_, at) => documents[2 * at].updated !== documents[2 * at + 1].updated),
      program: `names = ${JSON.stringify(pairs)}
wanted = [{"name": "fetch_document", "args": {"document_id": p + n}} for n in names for p in ["", "zh-"]]
days = [answer["value"]["updated"] for answer in router.batch(wanted)]
__result__ = [n for i, n in enumerate(names) if days[2 * i] != days[2 * i + 1]]`,
      says: (names) => (names.length === 0 ? "Yes, all of them." : `Not ${names.join(", ")}.`),
      expected: "Yes, all of them.",
    },
    {
      question: `Where do we promise something in working days? Give the lines of ${english.join(", ")}.`,
      turns: [() => english.map(fetch)],
      reads: ([documents = []]) => documents.flatMap(({ text }) => lines(text, /working days/)),
      program: `names = ${JSON.stringify(english)}
answers = router.batch([{"name": "fetch_document", "args": {"document_id": n}} for n in names])
found = [line for answer in answers for line in answer["value"]["text"].split("\\n") if "working days" in line]
__result__ = [line.lstrip("-0123456789. ") for line in found]`,
      says: list,
      expected:
        "Send a new battery free of charge within 5 working days.; A review without blame within 5 working days. Every action item becomes a ticket with an owner.; Purchasing answers within 3 working days with the delivery date.; The returns desk checks the goods within 3 working days and starts the refund.; Customer care writes to the customer within 2 working days, with an apology and the new date.; Customer care answers within 5 working days.",
    },
    {
      question: "Which of all our documents is the longest in English words, and how many words has it?",
      turns: [() => [search("*", 20)], (seen) => first(seen).map((hit: Value) => fetch(hit.document_id))],
      reads([, documents = []]) {
        const counts = documents
          .filter(({ language }) => language === "en")
          .map(({ document_id, text }) => [document_id, text.split(/\s+/).length] as const);
        return [...counts].sort((a, b) => b[1] - a[1])[0];
      },
      program: `ids = [hit["document_id"] for hit in search_documents("*", top_k=20)["items"] if hit["language"] == "en"]
answers = router.batch([{"name": "fetch_document", "args": {"document_id": id}} for id in ids])
counts = [[a["value"]["document_id"], len(a["value"]["text"].split())] for a in answers]
__result__ = max(counts, key=lambda pair: pair[1])`,
      says: ([id, n]) => `${id}, ${n} words.`,
      expected: "shipping-delays, 157 words.",
    },
    {
      question: "What is the median time from order to delivery in days, for each country?",
      turns: [() => [{ name: "query_sql", input: { sql: deliveries, limit: 200 } }]],
      reads(seen) {
        const { rows } = first(seen) as { rows: { country: string; days: number }[] };
        return [...new Set(rows.map(({ country }) => country))].sort().map((country) => {
          const days = rows.filter((row) => row.country === country).map((row) => row.days);
          days.sort((a, b) => a - b);
          const middle = days.length >> 1;
          return [country, days.length % 2 ? days[middle] : ((days[middle - 1] ?? 0) + (days[middle] ?? 0)) / 2];
        });
      },
      program: `from statistics import median
rows = query_sql("${deliveries}", limit=200)["rows"]
countries = sorted({row["country"] for row in rows})
__result__ = [[c, median(row["days"] for row in rows if row["country"] == c)] for c in countries]`,
      says: (all) => list(all.map(([country, days]: Value) => `${country} ${days}`)),
      expected: "China 5.5; Czechia 5.5; France 4; Germany 4.5; Italy 7; Portugal 5; Sweden 4; United Kingdom 8",
    },
  ],
  chained: [
    {
      question: "Which orders are delayed by our delay policy?",
      turns: [
        () => [search("when does an order count as delayed", 3)],
        (seen) => [fetch(first(seen)[0].document_id)],
        (seen) => [sql(delayed(Number(/more than (\d+) days/.exec(seen[1]?.[0].text)?.[1])))],
      ],
      reads: (seen) => seen[2]?.[0].rows.map(({ id }: Value) => id),
      // Nobody can query before the rule has been read.
      programs: [
        () => `hits = search_documents("when does an order count as delayed", top_k=3)["items"]
text = fetch_document(hits[0]["document_id"])["text"]
__result__ = [line for line in text.split("\\n") if "delayed" in line or "count" in line]`,
        ([rules]) =>
          `rows = query_sql("${delayed(Number(/more than (\d+) days/.exec(rules.join("\n"))?.[1]))}")["rows"]
__result__ = [row["id"] for row in rows]`,
      ],
      program: `import re
hits = search_documents("when does an order count as delayed", top_k=3)["items"]
text = fetch_document(hits[0]["document_id"])["text"]
days = next(re.search(r"(\\d+) days", line)[1] for line in text.split("\\n") if "is delayed" in line)
rows = query_sql(f"${delayed("{days}")}")["rows"]
__result__ = [row["id"] for row in rows]`,
      says: (ids) => `${ids.join(", ")}.`,
      expected: "1024, 1042, 1059, 1078, 1091, 1105, 1120.",
    },
    {
      question: "Which documents name a product that is short (fewer than 12 left), or its category?",
      turns: [
        () => [sql(lowStock)],
        (seen) => first(seen).rows.map(({ name, category }: Value) => search(`${name} ${category}`, 3)),
        (seen) => [...new Set((seen[1] ?? []).flat().map(({ document_id }) => document_id))].map((id) => fetch(id)),
      ],
      reads: (seen) =>
        (seen[2] ?? [])
          .filter(({ text }) =>
            first(seen).rows.some(
              ({ name, category }: Value) => text.includes(name) || text.toLowerCase().includes(category),
            ),
          )
          .map(({ document_id }) => document_id)
          .sort(),
      program: `short = query_sql("${lowStock}")["rows"]
found = router.batch([{"name": "search_documents", "args": {"query": p["name"] + " " + p["category"], "top_k": 3}} for p in short])
ids = sorted({hit["document_id"] for answer in found for hit in answer["value"]["items"]})
documents = [a["value"] for a in router.batch([{"name": "fetch_document", "args": {"document_id": id}} for id in ids])]
def named(text):
    return any(p["name"] in text or p["category"] in text.lower() for p in short)
__result__ = [d["document_id"] for d in documents if named(d["text"])]`,
      says: (ids) => `${ids.join(", ")}.`,
      expected: "restocking, returns, warranty.",
    },
    {
      question: "Collect what the three documents that fit 'deadline' best say in numbers of days.",
      turns: [
        () => [search("deadline in days", 3)],
        (seen) => first(seen).map(({ document_id }: Value) => fetch(document_id)),
      ],
      reads: (seen) => (seen[1] ?? []).flatMap(({ text }) => lines(text, /\d+ days/)),
      program: `import re
hits = search_documents("deadline in days", top_k=3)["items"]
texts = [fetch_document(hit["document_id"])["text"] for hit in hits]
found = [line for text in texts for line in text.split("\\n") if re.search(r"\\d+ days", line)]
__result__ = [re.sub(r"^(?:-|\\d+\\.) ", "", line) for line in found]`,
      says: list,
      expected:
        "A refund must be paid within 10 days of the customer's request.; A refund that took longer than 10 days is overdue, even if it has been paid since.; Goods can be returned within 30 days of delivery.; Gold members have 60 days.; An order is delayed when it arrives more than 7 days after the promised date.",
    },
    {
      question:
        "What is the most frequent reason for refunds, and what do the two documents that fit it best begin with?",
      turns: [
        () => [sql(refundReasons)],
        (seen) => [search(first(seen).rows[0].reason, 2)],
        (seen) => seen[1]?.[0].map(({ document_id }: Value) => fetch(document_id)),
      ],
      reads: (seen) => [
        first(seen).rows[0].reason,
        ...(seen[2] ?? []).map(({ text }) => text.split("\n").filter((line: string) => /^[^#]/.test(line))[0]),
      ],
      program: `reason = query_sql("${refundReasons}")["rows"][0]["reason"]
hits = search_documents(reason, top_k=2)["items"]
texts = [fetch_document(hit["document_id"])["text"] for hit in hits]
__result__ = [reason] + [[line for line in text.split("\\n") if line and line[0] != "#"][0] for text in texts]`,
      says: list,
      expected: "burner leaks; The warranty covers faults in material and workmanship, not wear.",
    },
    {
      question: "Which orders do our tickets name, who placed them, and what else did these customers order?",
      turns: [
        () => [sql(ticketTexts)],
        (seen) => ordersIn(JSON.stringify(first(seen).rows)).map((id) => sql(customerOf(id))),
        (seen) => (seen[1] ?? []).flatMap(({ rows }) => rows.map((row: Value) => sql(ordersOf(row.id)))),
      ],
      reads: (seen) => [
        (seen[1] ?? []).flatMap(({ rows }) => rows.map((row: Value) => row.name)),
        (seen[2] ?? []).map(({ rows }) => rows.map((row: Value) => row.id)),
      ],
      program: `import json, re
tickets = query_sql("${ticketTexts}")["rows"]
numbers = list(dict.fromkeys(re.findall(r"\\b1\\d{3}\\b", json.dumps(tickets))))
customers = []
for number in numbers:
    customers += query_sql(f"${customerOf("{number}")}")["rows"]
orders = [[row["id"] for row in query_sql(f"${ordersOf("{c['id']}")}")["rows"]] for c in customers]
__result__ = [[c["name"] for c in customers], orders]`,
      says: ([names, orders]) => list(names.map((name: string, at: number) => `${name}: ${orders[at].join(", ")}`)),
      expected: "Wang Fang: 1014, 1019, 1059, 1080, 1139",
    },
    {
      question: "How long is the warranty on the dearest thing that our best customer bought?",
      turns: [
        () => [sql(bestBuy)],
        (seen) => [search(`warranty ${first(seen).rows[0].category}`, 3)],
        (seen) => [fetch(seen[1]?.[0].find((hit: Value) => hit.language === "en").document_id)],
      ],
      reads(seen) {
        const { name, category } = first(seen).rows[0];
        return [name, lines(seen[2]?.[0].text, new RegExp(`${category}.*month`, "i"))];
      },
      program: `import re
bought = query_sql("${bestBuy}")["rows"][0]
hits = search_documents("warranty " + bought["category"], top_k=3)["items"]
text = fetch_document([hit for hit in hits if hit["language"] == "en"][0]["document_id"])["text"]
found = [line for line in text.split("\\n") if re.search(bought["category"] + ".*month", line, re.I)]
__result__ = [bought["name"], [line.lstrip("- ") for line in found]]`,
      says: ([name, found]) => `${name}. ${list(found)}`,
      expected: "Basecamp 4 tent. Tents and backpacks: 36 months.",
    },
  ],
};

/** 24 tasks over the shop of the demo: six of one call, six that combine tools, six batches, six chains. */
export const wholeTasks: readonly WholeTask[] = Object.entries(scripts).flatMap(([group, list]) =>
  list.map((script) => ({ ...script, group })),
);

function customerOf(order: string): string {
  return `SELECT c.id, c.name FROM orders o JOIN customers c ON c.id = o.customer_id WHERE o.id = ${order}`;
}

function ordersOf(customer: number | string): string {
  return `SELECT id FROM orders WHERE customer_id = ${customer} ORDER BY id`;
}
