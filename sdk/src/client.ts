/** A typed client of the Messaging Service API. Its types come from the OpenAPI document. */
import { Account, ApiKeys, Events, Inbound, Messages, Senders, Suppressions, Webhooks } from "./resources.js";
import { type ClientOptions, createTransport, type Transport } from "./transport.js";

export { ApiError } from "./errors.js";
export type { List, Page, Pagination } from "./pages.js";
export type { components, operations, paths } from "./schema.js";
export type { CallOptions, ClientOptions, OperationId } from "./transport.js";
export { type VerifyWebhookInput, verifyWebhook, WebhookError, type WebhookEvent } from "./webhooks.js";

/**
 * The API with one key. Requests that create something get an Idempotency-Key, so that the client can repeat them safely.
 * Every method throws an `ApiError` for a response that is not a success.
 */
export class MessagingClient {
  /** Calls any operation by its id. Resolves to the whole envelope (`data`, `meta`, `pagination`) and the raw response. */
  readonly request: Transport;
  readonly messages: Messages;
  readonly inbound: Inbound;
  readonly account: Account;
  readonly senders: Senders;
  readonly suppressions: Suppressions;
  readonly apiKeys: ApiKeys;
  readonly webhooks: Webhooks;
  readonly events: Events;

  constructor(options: ClientOptions) {
    this.request = createTransport(options);
    this.messages = new Messages(this.request);
    this.inbound = new Inbound(this.request);
    this.account = new Account(this.request);
    this.senders = new Senders(this.request);
    this.suppressions = new Suppressions(this.request);
    this.apiKeys = new ApiKeys(this.request);
    this.webhooks = new Webhooks(this.request);
    this.events = new Events(this.request);
  }
}
