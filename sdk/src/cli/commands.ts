import type { CallOptions, MessagingClient } from "../client.js";
import type { WebhookEvent } from "../webhooks.js";
import { follow } from "./follow.js";
import { forwardEvents } from "./forward.js";
import { once } from "./once.js";
import { causeOf, describe, lineOf, rowsOf } from "./words.js";

/** A mistake on the command line: exit code 2. */
export class UsageError extends Error {}

export type Values = Record<string, string | boolean | undefined>;

/** `show` prints an item, as JSON in one line if `--json` is given. */
type Call = {
  client: MessagingClient;
  /** The address that the client calls. */
  baseUrl: string;
  /** The version of this package. */
  version: string;
  values: Values;
  operands: string[];
  show: (item: object, line: string) => void;
  printError: (line: string) => void;
  signal: AbortSignal;
};

type Option = { type: "string" | "boolean"; value: string; help: string };

export type Command = {
  /** One or two words. */
  name: string;
  help: string;
  operands?: string[];
  options: Record<string, Option>;
  required?: string[];
  /** It goes on until it is interrupted, which is then no failure. */
  isEndless?: boolean;
  run: (call: Call) => Promise<void>;
};

const text = (value: string, help: string): Option => ({ type: "string", value, help });
const given = (values: Values, name: string): string | undefined => {
  const value = values[name];
  return typeof value === "string" ? value : undefined;
};
/** A required option, which the caller has checked. */
const need = (values: Values, name: string): string => given(values, name) ?? "";
/** The parts of a list that is separated by commas. */
const listOf = (list: string): string[] => list.split(",").map((part) => part.trim());
const count = (values: Values, name: string, fallback: number): number => {
  const value = Number(given(values, name) ?? fallback);
  if (!Number.isInteger(value) || value < 1) throw new UsageError(`--${name} must be a whole number from 1.`);
  return value;
};

/** @throws UsageError for anything but an address of the web: `localhost:4000` is one with the scheme `localhost`. */
export function webUrl(text: string): string {
  if (/^https?:\/\//i.test(text) && URL.canParse(text)) return text;
  throw new UsageError(`${text} is not a URL that begins with http:// or https://.`);
}

const SECRET = /^whsec_[\w+/-]+=*$/;

type Message = {
  id: string;
  status: string;
  to: string;
  from: string;
  created_at: string;
  cost: number;
  currency: string;
};
const messageLine = ({ id, created_at, status, to, from, cost, currency }: Message): string =>
  lineOf(created_at, id, status.padEnd(11), `${from} -> ${to}`, `${cost} ${currency}`);

const FINAL = new Set(["delivered", "failed", "undelivered"]);
const POLL_MS = 500;

/** The option of commands that create something, for {@link created}. */
const IDEMPOTENCY_KEY = text("<key>", "repeated with the same key, within 24 hours, it is done once");

/** Creates something once. @throws as {@link once}, with the option that repeats the command. */
const created = <Result>({ values, baseUrl, signal }: Call, request: (options: CallOptions) => Promise<Result>) =>
  once(
    given(values, "idempotency-key"),
    (idempotencyKey) => request({ signal, idempotencyKey }),
    (thrown, key) =>
      `${describe(thrown, baseUrl)}\nIt may have been carried out. To repeat the command without doing it twice, add --idempotency-key ${key}`,
  );

/** Reads the message until its status is final. @throws Error that names it when it cannot be read, or `signal` is aborted before. */
async function untilFinal({ client, baseUrl, signal }: Call, id: string) {
  try {
    for (;;) {
      const message = await client.messages.get(id, { signal });
      if (FINAL.has(message.status)) return message;
      await new Promise((resolve) => setTimeout(resolve, POLL_MS));
      signal.throwIfAborted();
    }
  } catch (thrown) {
    if (signal.aborted) throw new Error(`Interrupted. The message ${id} was accepted, and is not canceled.`);
    const problem = describe(thrown, baseUrl);
    throw new Error(`The message ${id} was accepted, but its status could not be read: ${problem}`, { cause: thrown });
  }
}

/** Numbers of the sandbox that end with a status (docs/scenario-numbers.md). */
const SCENARIOS: Record<string, string> = {
  "message.delivered": "+15550100001",
  "message.failed": "+15550100003",
  "message.sent": "+15550100008",
  undelivered: "+15550100009",
};

const tellOf = (printError: Call["printError"]) => (thrown: unknown) =>
  printError(`The service does not respond, and is asked again: ${causeOf(thrown)}`);

type EventType = WebhookEvent["type"];
const RECEIVED = "message.received";
/** Every event type of the document, and whether `*` stands for it. */
const EVENT_TYPES: Record<EventType, boolean> = {
  "message.sent": true,
  "message.delivered": true,
  "message.failed": true,
  [RECEIVED]: false,
};
const isEventType = (name: string): name is EventType => Object.hasOwn(EVENT_TYPES, name);

/** Reads event types, as an endpoint names them. @throws UsageError for one that does not exist. */
function eventTypesOf(names: string): Set<EventType> {
  const known = Object.keys(EVENT_TYPES).filter(isEventType);
  const types = listOf(names).flatMap((name) => {
    if (name === "*") return known.filter((type) => EVENT_TYPES[type]);
    if (isEventType(name)) return [name];
    throw new UsageError(`There is no event type ${name}: ${known.join(", ")}, or * for all but ${RECEIVED}.`);
  });
  return new Set(types);
}

/** The lists that have events of these types: one of status changes, one of inbound messages. */
function eventListsOf(client: MessagingClient, types: ReadonlySet<EventType>, signal: AbortSignal) {
  type List = (query: { limit: number }) => ReturnType<typeof client.events.list>;
  const statuses: List = (query) => client.events.list(query, { signal });
  const inbound: List = (query) => client.events.list({ type: RECEIVED, ...query }, { signal });
  return [
    ...([...types].some((type) => type !== RECEIVED) ? [statuses] : []),
    ...(types.has(RECEIVED) ? [inbound] : []),
  ];
}

/** Items of the list, oldest first, up to `limit` of the newest. */
async function newest<T>(list: AsyncIterable<T>, limit: number): Promise<T[]> {
  const items: T[] = [];
  for await (const item of list) if (items.push(item) >= limit) break;
  return items.reverse();
}

/** Loads what only `mcp` needs. @throws Error that says how to install it. */
async function loadMcp() {
  try {
    return await import("../mcp/server.js");
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code !== "ERR_MODULE_NOT_FOUND") throw thrown;
    throw new Error("This command needs two more packages: npm install @modelcontextprotocol/sdk zod");
  }
}

export const COMMANDS: readonly Command[] = [
  {
    name: "send",
    help: "send a message",
    options: {
      to: text("<number>", "recipient, E.164"),
      from: text("<sender>", "an approved sender ID"),
      body: text("<text>", "the text"),
      reference: text("<text>", "your own id, echoed in webhooks"),
      "idempotency-key": IDEMPOTENCY_KEY,
      wait: { type: "boolean", value: "", help: "wait for the final status; exit code 1 unless it is delivered" },
    },
    required: ["to", "from", "body"],
    run: async (call) => {
      const { client, values, show } = call;
      const [to, from, body] = [need(values, "to"), need(values, "from"), need(values, "body")];
      const reference = given(values, "reference");
      const input = { to, from, body, ...(reference && { reference }) };
      const accepted = await created(call, (options) => client.messages.send(input, options));
      const message = values.wait ? await untilFinal(call, accepted.id) : accepted;
      show(message, messageLine(message));
      const hasFailed = message.status === "failed" || message.status === "undelivered";
      if (hasFailed) throw new Error(message.error?.message ?? `The message is ${message.status}.`);
    },
  },
  {
    name: "messages list",
    help: "list messages, the newest last",
    options: {
      status: text("<status>", "only messages with this status"),
      to: text("<number>", "only messages to this recipient"),
      limit: text("<count>", "how many; default 20"),
    },
    run: async ({ client, values, show, signal }) => {
      const query = { status: given(values, "status"), to: given(values, "to") } as { to?: string };
      const limit = count(values, "limit", 20);
      const messages = await newest(client.messages.list(query, { signal }), limit);
      for (const message of messages) show(message, messageLine(message));
    },
  },
  {
    name: "messages get",
    help: "show a message",
    operands: ["<id>"],
    options: {},
    run: async ({ client, operands: [id = ""], show, signal }) => {
      const message = await client.messages.get(id, { signal });
      show(message, rowsOf(message));
    },
  },
  {
    name: "messages tail",
    help: "print new messages as they are accepted",
    options: {},
    isEndless: true,
    run: async ({ client, show, printError, signal }) => {
      const onFailure = tellOf(printError);
      for await (const message of follow([(query) => client.messages.list(query, { signal })], signal, { onFailure })) {
        show(message, messageLine(message));
      }
    },
  },
  {
    name: "listen",
    help: "forward the account's events to a local port, signed like webhooks",
    options: {
      "forward-to": text("<url>", "where to post the events, such as localhost:4000/hooks"),
      events: text("<types>", `separated by commas; default: *, which is all but ${RECEIVED}`),
      secret: text("<whsec_…>", "the signing secret; default: a new one, which is printed"),
    },
    required: ["forward-to"],
    isEndless: true,
    run: async ({ client, values, show, printError, signal }) => {
      const target = need(values, "forward-to");
      const url = webUrl(/^[a-z]+:\/\//i.test(target) ? target : `http://${target}`);
      const secret = given(values, "secret") ?? null;
      if (secret !== null && !SECRET.test(secret)) throw new UsageError("--secret must be whsec_ and base64.");
      const types = eventTypesOf(given(values, "events") ?? "*");
      await forwardEvents({
        events: follow(eventListsOf(client, types, signal), signal, { onFailure: tellOf(printError) }),
        url,
        types,
        secret,
        show,
        printError,
        signal,
      });
    },
  },
  {
    name: "trigger",
    help: "send to the sandbox's scenario number that ends with an event",
    operands: [`<${Object.keys(SCENARIOS).join("|")}>`],
    options: { from: text("<sender>", "an approved sender ID"), "idempotency-key": IDEMPOTENCY_KEY },
    required: ["from"],
    run: async (call) => {
      const { client, values, show } = call;
      const [event = ""] = call.operands;
      const to = SCENARIOS[event];
      if (!to) throw new UsageError(`There is no scenario for ${event}: ${Object.keys(SCENARIOS).join(", ")}.`);
      const body = `Triggered by the command line: ${event}`;
      const input = { to, from: need(values, "from"), body, provider: "sandbox" as const };
      const message = await created(call, (options) => client.messages.send(input, options));
      show(message, messageLine(message));
    },
  },
  {
    name: "keys list",
    help: "list API keys, also the latest that no longer work",
    options: {},
    run: async ({ client, show, signal }) => {
      for (const key of await client.apiKeys.list({ signal })) {
        show(key, lineOf(key.id, key.key_hint, key.name, ...(key.is_active ? [] : ["(no longer works)"])));
      }
    },
  },
  {
    name: "keys create",
    help: "create an API key; its secret is shown only now",
    options: {
      name: text("<name>", "your name for the key"),
      permissions: text("<list>", "separated by commas; default: those of the calling key"),
      "idempotency-key": IDEMPOTENCY_KEY,
    },
    required: ["name"],
    run: async (call) => {
      const { client, values, show } = call;
      const list = given(values, "permissions");
      const permissions = list === undefined ? null : listOf(list);
      const body = { name: need(values, "name"), ...(permissions && { permissions }) } as { name: string };
      const key = await created(call, (options) => client.apiKeys.create(body, options));
      show(key, lineOf(key.id, key.plain_key, key.name));
    },
  },
  {
    name: "keys revoke",
    help: "revoke an API key",
    operands: ["<id>"],
    options: {
      cascade: { type: "boolean", value: "", help: "also the keys created with it, and those created with them" },
    },
    run: async ({ client, values, operands: [id = ""], show, signal }) => {
      const revoked = await client.apiKeys.revoke(id, { signal, cascade: values.cascade === true });
      show(revoked, lineOf(`${id} is revoked`));
    },
  },
  {
    name: "balance",
    help: "show the balance",
    options: {},
    run: async ({ client, show, signal }) => {
      const balance = await client.account.balance({ signal });
      const mode = balance.livemode ? [] : ["(test mode)"];
      show(balance, lineOf(`${balance.balance} ${balance.currency}`, ...mode));
    },
  },
  {
    name: "mcp",
    help: "serve the API to an assistant: Model Context Protocol over standard input and output",
    options: {
      live: { type: "boolean", value: "", help: "allow sending with a live key: it reaches people and costs money" },
    },
    isEndless: true,
    run: async ({ client, baseUrl, version, values, signal }) => {
      const { serveMcp } = await loadMcp();
      const { livemode: isLive } = await client.account.get({ signal });
      await serveMcp({ client, baseUrl, version, isLive, maySendLive: values.live === true }, signal);
    },
  },
];
