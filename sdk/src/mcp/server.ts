/** The API as tools of the Model Context Protocol, for assistants. Only the command `mcp` loads it, and the packages that it needs. */
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import type { CallToolResult } from "@modelcontextprotocol/sdk/types.js";
import { z } from "zod";
import { once } from "../cli/once.js";
import { describe } from "../cli/words.js";
import type { MessagingClient } from "../client.js";
import { SCENARIO_NUMBERS } from "./scenarios.js";

export type McpOptions = {
  client: MessagingClient;
  /** The address that `client` calls, for messages about it. */
  baseUrl: string;
  version: string;
  /** Whether the key is a live one: its messages reach people and cost money. */
  isLive: boolean;
  /** Whether an assistant may send with a live key. */
  maySendLive: boolean;
};

const LIVE_READ_ONLY =
  "The API key is a live one, so nothing can be sent: the person who runs this server can start it with --live, or with a test key.";
const LIVE = "The API key is a live one: messages reach people and cost money. Ask the person before you send.";
const TEST = "The API key is a test key: messages go to a sandbox, reach nobody and cost nothing.";

const STATUSES = ["pending", "sent", "delivered", "failed", "undelivered"] as const;
const id = z.string().min(1).describe("id of the message, msg_…");
const message = {
  to: z.string().describe("recipient in E.164 form, such as +14155550123"),
  from: z.string().describe("an approved sender ID, see list_senders"),
  body: z.string().describe("the text, up to 1,600 characters"),
  smart_encoding: z.boolean().optional().describe("replace typographic punctuation so that fewer segments are needed"),
};
const READS = { readOnlyHint: true, openWorldHint: false };

/** A server with the tools that this key may have. It responds once it is connected to a transport. */
export function makeMcpServer({ client, baseUrl, version, isLive, maySendLive }: McpOptions): McpServer {
  const maySend = !isLive || maySendLive;
  const instructions = isLive ? (maySend ? LIVE : LIVE_READ_ONLY) : TEST;
  const server = new McpServer({ name: "messaging-service", version }, { instructions });

  /** A result as JSON, or a failure in words that the assistant can act on. */
  const resultOf = async (work: Promise<unknown>): Promise<CallToolResult> => {
    try {
      return { content: [{ type: "text", text: JSON.stringify(await work) }] };
    } catch (thrown) {
      return { content: [{ type: "text", text: describe(thrown, baseUrl) }], isError: true };
    }
  };

  if (maySend) {
    server.registerTool(
      "send_message",
      {
        description: `Send one SMS. ${instructions}`,
        inputSchema: {
          ...message,
          reference: z.string().optional().describe("your own id, echoed in events"),
          idempotency_key: z
            .string()
            .optional()
            .describe("the same key for a repeated attempt: the message is then sent once, within 24 hours"),
        },
        annotations: { readOnlyHint: false, destructiveHint: isLive, idempotentHint: false, openWorldHint: isLive },
      },
      ({ idempotency_key: given, ...body }, { signal }) =>
        resultOf(
          once(
            given,
            (idempotencyKey) => client.messages.send(body, { signal, idempotencyKey }),
            (thrown, key) =>
              `${describe(thrown, baseUrl)} The message may have been sent. To try again, give the same input with the ` +
              `idempotency_key ${key}, by which it is sent once.`,
          ),
        ),
    );
  }
  server.registerTool(
    "estimate_message",
    {
      description: "Segments, encoding, cost and refusals of an SMS, without sending it.",
      inputSchema: message,
      annotations: READS,
    },
    (body, { signal }) => resultOf(client.messages.estimate(body, { signal })),
  );
  server.registerTool(
    "get_message",
    {
      description:
        "A message, and its timeline: attempts, delivery receipts, events, webhooks and money, in order of time.",
      inputSchema: { id },
      annotations: READS,
    },
    ({ id }, { signal }) =>
      resultOf(
        Promise.all([client.messages.get(id, { signal }), client.messages.timeline(id, { signal })]).then(
          ([found, timeline]) => ({ message: found, timeline }),
        ),
      ),
  );
  server.registerTool(
    "list_messages",
    {
      description: "Messages, newest first. `next_cursor` is the `cursor` of the next page, with the same filters.",
      inputSchema: {
        status: z.enum(STATUSES).optional(),
        to: z.string().optional().describe("only to this number, E.164"),
        from: z.string().optional().describe("only from this sender ID"),
        reference: z.string().optional(),
        created_after: z.string().optional().describe("ISO 8601 with an offset"),
        created_before: z.string().optional().describe("ISO 8601 with an offset"),
        limit: z.number().int().min(1).max(100).default(20),
        cursor: z.string().optional(),
      },
      annotations: READS,
    },
    (query, { signal }) =>
      resultOf(
        client.messages.list(query, { signal }).then(({ data, pagination, meta }) => ({
          messages: data,
          total: pagination.total,
          next_cursor: meta.next_cursor ?? null,
        })),
      ),
  );
  server.registerTool(
    "list_senders",
    { description: "Sender IDs of the account, with their status.", inputSchema: {}, annotations: READS },
    (_, { signal }) => resultOf(client.senders.list({ limit: 100 }, { signal }).then(({ data }) => data)),
  );
  server.registerTool(
    "get_balance",
    { description: "The balance of the account.", inputSchema: {}, annotations: READS },
    (_, { signal }) => resultOf(client.account.balance({ signal })),
  );
  server.registerTool(
    "list_scenario_numbers",
    {
      description: "Numbers that simulate each outcome of a message in test mode.",
      inputSchema: {},
      annotations: READS,
    },
    () => resultOf(Promise.resolve(SCENARIO_NUMBERS)),
  );
  return server;
}

/** Serves the tools over standard input and output, until the input ends or the signal is aborted. */
export async function serveMcp(options: McpOptions, signal: AbortSignal): Promise<void> {
  const server = makeMcpServer(options);
  const ended = new Promise<void>((resolve) => {
    server.server.onclose = resolve;
    process.stdin.once("end", resolve);
    signal.addEventListener("abort", () => resolve(), { once: true });
    if (signal.aborted) resolve();
  });
  await server.connect(new StdioServerTransport());
  await ended;
  await server.close();
}
