/** The operations of the API by resource. Each method resolves to `data` of the response. */
import { type List, listOf, type Page } from "./pages.js";
import type { Body, CallOptions, Data, OperationId, Query, Transport } from "./transport.js";
import { type VerifyWebhookInput, verifyWebhook, type WebhookEvent } from "./webhooks.js";

type Reply<Id extends OperationId> = Promise<Data<Id>>;

/** Items of a list that has no pages. */
type Items<Id extends OperationId> = Promise<Data<Id> extends { data: infer I } ? I : never>;

const dataOf = async <T>(reply: Promise<{ data: T }>): Promise<T> => (await reply).data;

/** `GET` of a paged list: awaited a page, iterated every item. */
function paged<T>(
  send: (query: object) => Promise<Omit<Page<T>, "nextPage">>,
  { page = 1, cursor, ...query }: { page?: number; cursor?: string } = {},
): List<T> {
  return listOf((at) => send({ ...query, ...at }), cursor === undefined ? { page } : { cursor });
}

/** Messages: send, estimate, reschedule, cancel, redact, read. */
export class Messages {
  constructor(private readonly request: Transport) {}
  /** Sends one message. It is `pending` when this resolves. */
  send(body: Body<"sendMessage">, options?: CallOptions): Reply<"sendMessage"> {
    return dataOf(this.request("sendMessage", { ...options, body }));
  }
  /** Sends one text to many recipients. A recipient can fail alone: check each result. */
  sendBulk(body: Body<"sendBulk">, options?: CallOptions): Reply<"sendBulk"> {
    return dataOf(this.request("sendBulk", { ...options, body }));
  }
  /** Segments, cost and refusals of a send, without sending. */
  estimate(body: Body<"estimateMessage">, options?: CallOptions): Reply<"estimateMessage"> {
    return dataOf(this.request("estimateMessage", { ...options, body }));
  }
  /** Cancels a message that no provider was given yet: it is `failed`, and refunded. */
  cancel(id: string, options?: CallOptions): Reply<"cancelMessage"> {
    return dataOf(this.request("cancelMessage", { ...options, path: { id } }));
  }
  /** Gives a scheduled message another time; null: it is sent at once. */
  reschedule(id: string, body: Body<"rescheduleMessage">, options?: CallOptions): Reply<"rescheduleMessage"> {
    return dataOf(this.request("rescheduleMessage", { ...options, path: { id }, body }));
  }
  /** Deletes the text of a message that has ended, for good. */
  redact(id: string, options?: CallOptions): Reply<"redactMessage"> {
    return dataOf(this.request("redactMessage", { ...options, path: { id } }));
  }
  /** Messages, newest first. */
  list(query?: Query<"listMessages">, options?: CallOptions): List<Data<"listMessages">[number]> {
    return paged((page) => this.request("listMessages", { ...options, query: page }), query);
  }
  get(id: string, options?: CallOptions): Reply<"getMessage"> {
    return dataOf(this.request("getMessage", { ...options, path: { id } }));
  }
  /** Every step of a message: attempts, delivery receipts, events, money. */
  timeline(id: string, options?: CallOptions): Reply<"getMessageTimeline"> {
    return dataOf(this.request("getMessageTimeline", { ...options, path: { id } }));
  }
}

/** Messages that people sent to the account's numbers. */
export class Inbound {
  constructor(private readonly request: Transport) {}
  /** Inbound messages, newest first. */
  list(query?: Query<"listInbound">, options?: CallOptions): List<Data<"listInbound">[number]> {
    return paged((page) => this.request("listInbound", { ...options, query: page }), query);
  }
  get(id: string, options?: CallOptions): Reply<"getInbound"> {
    return dataOf(this.request("getInbound", { ...options, path: { id } }));
  }
}

/** The account of the key. */
export class Account {
  constructor(private readonly request: Transport) {}
  get(options?: CallOptions): Reply<"getAccount"> {
    return dataOf(this.request("getAccount", options));
  }
  balance(options?: CallOptions): Reply<"getBalance"> {
    return dataOf(this.request("getBalance", options));
  }
  usage(query?: Query<"getUsage">, options?: CallOptions): Reply<"getUsage"> {
    return dataOf(this.request("getUsage", { ...options, query }));
  }
}

/** Sender IDs. */
export class Senders {
  constructor(private readonly request: Transport) {}
  list(query?: Query<"listSenders">, options?: CallOptions): List<Data<"listSenders">[number]> {
    return paged((page) => this.request("listSenders", { ...options, query: page }), query);
  }
  create(body: Body<"createSender">, options?: CallOptions): Reply<"createSender"> {
    return dataOf(this.request("createSender", { ...options, body }));
  }
  get(id: string, options?: CallOptions): Reply<"getSender"> {
    return dataOf(this.request("getSender", { ...options, path: { id } }));
  }
  /** Changes the ids of its registration in India (DLT). */
  update(id: string, body: Body<"updateSender">, options?: CallOptions): Reply<"updateSender"> {
    return dataOf(this.request("updateSender", { ...options, path: { id }, body }));
  }
  delete(id: string, options?: CallOptions): Reply<"deleteSender"> {
    return dataOf(this.request("deleteSender", { ...options, path: { id } }));
  }
}

/** Numbers that get no messages. */
export class Suppressions {
  constructor(private readonly request: Transport) {}
  list(query?: Query<"listSuppressions">, options?: CallOptions): List<Data<"listSuppressions">[number]> {
    return paged((page) => this.request("listSuppressions", { ...options, query: page }), query);
  }
  create(body: Body<"createSuppression">, options?: CallOptions): Reply<"createSuppression"> {
    return dataOf(this.request("createSuppression", { ...options, body }));
  }
  /** Suppresses up to 10,000 numbers. A repeated call changes nothing. */
  import(body: Body<"importSuppressions">, options?: CallOptions): Reply<"importSuppressions"> {
    return dataOf(this.request("importSuppressions", { ...options, body }));
  }
  delete(id: string, options?: CallOptions): Reply<"deleteSuppression"> {
    return dataOf(this.request("deleteSuppression", { ...options, path: { id } }));
  }
}

/** API keys. */
export class ApiKeys {
  constructor(private readonly request: Transport) {}
  async list(options?: CallOptions): Items<"listApiKeys"> {
    return (await dataOf(this.request("listApiKeys", options))).data;
  }
  /** Only this response contains the secret. */
  create(body: Body<"createApiKey">, options?: CallOptions): Reply<"createApiKey"> {
    return dataOf(this.request("createApiKey", { ...options, body }));
  }
  /** Changes name, limits, addresses or expiry. */
  update(id: string, body: Body<"updateApiKey">, options?: CallOptions): Reply<"updateApiKey"> {
    return dataOf(this.request("updateApiKey", { ...options, path: { id }, body }));
  }
  /** `cascade` also revokes the keys that were created with this key, and those created with them. */
  revoke(id: string, { cascade, ...options }: CallOptions & Query<"revokeApiKey"> = {}): Reply<"revokeApiKey"> {
    return dataOf(this.request("revokeApiKey", { ...options, path: { id }, query: { cascade } }));
  }
}

/** Webhook endpoints, their deliveries, and the verification of webhook requests. */
export class Webhooks {
  constructor(private readonly request: Transport) {}
  async list(options?: CallOptions): Items<"listWebhooks"> {
    return (await dataOf(this.request("listWebhooks", options))).data;
  }
  /** Only this response contains the signing secret. */
  create(body: Body<"createWebhook">, options?: CallOptions): Reply<"createWebhook"> {
    return dataOf(this.request("createWebhook", { ...options, body }));
  }
  get(id: string, options?: CallOptions): Reply<"getWebhook"> {
    return dataOf(this.request("getWebhook", { ...options, path: { id } }));
  }
  /** Changes URL, events or description. */
  update(id: string, body: Body<"updateWebhook">, options?: CallOptions): Reply<"updateWebhook"> {
    return dataOf(this.request("updateWebhook", { ...options, path: { id }, body }));
  }
  delete(id: string, options?: CallOptions): Reply<"deleteWebhook"> {
    return dataOf(this.request("deleteWebhook", { ...options, path: { id } }));
  }
  deliveries(
    id: string,
    query?: Query<"listWebhookDeliveries">,
    options?: CallOptions,
  ): List<Data<"listWebhookDeliveries">[number]> {
    return paged((page) => this.request("listWebhookDeliveries", { ...options, path: { id }, query: page }), query);
  }
  /** Posts one test event to the endpoint at once. */
  test(id: string, options?: CallOptions): Reply<"testWebhook"> {
    return dataOf(this.request("testWebhook", { ...options, path: { id } }));
  }
  rotateSecret(id: string, options?: CallOptions): Reply<"rotateWebhookSecret"> {
    return dataOf(this.request("rotateWebhookSecret", { ...options, path: { id } }));
  }
  enable(id: string, options?: CallOptions): Reply<"enableWebhook"> {
    return dataOf(this.request("enableWebhook", { ...options, path: { id } }));
  }
  /** Sends nothing to the endpoint until it is resumed; its events wait. */
  pause(id: string, options?: CallOptions): Reply<"pauseWebhook"> {
    return dataOf(this.request("pauseWebhook", { ...options, path: { id } }));
  }
  /** Ends a pause, and sends the events that have waited. */
  resume(id: string, options?: CallOptions): Reply<"resumeWebhook"> {
    return dataOf(this.request("resumeWebhook", { ...options, path: { id } }));
  }
  /** Sends the events again that the endpoint missed since a time. */
  recover(id: string, body: Body<"recoverWebhook">, options?: CallOptions): Reply<"recoverWebhook"> {
    return dataOf(this.request("recoverWebhook", { ...options, path: { id }, body }));
  }
  /** The event of a genuine webhook request. @throws WebhookError otherwise: respond with 400. */
  verify(input: VerifyWebhookInput): Promise<WebhookEvent> {
    return verifyWebhook(input);
  }
}

/** Status changes of messages, or inbound ones, newest first: the objects that webhooks carry. */
export class Events {
  constructor(private readonly request: Transport) {}
  list(query?: Query<"listEvents">, options?: CallOptions): List<Data<"listEvents">[number]> {
    return paged((page) => this.request("listEvents", { ...options, query: page }), query);
  }
}
