// Made of openapi.json by `npm run openapi`; do not edit.
export interface paths {
    "/messages/send": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send a message
         * @description Accepts one message: its cost is deducted from the balance, and it is queued for a provider. The response does not wait for the provider, so its status is `pending`. A message without a route, or blocked by the account's suppressions or limits, is `failed` at once, free of charge.
         *
         *     Permission: `sms:send` (send a message to one recipient).
         */
        post: operations["sendMessage"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/messages/bulk": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send to many recipients
         * @description Accepts one message per recipient: the same text for all, or with `variables` one for each. A recipient that is not a phone number, has no route, or is blocked by the account's suppressions or limits fails alone: check each item's `status` and `error`. A balance that does not cover all of them is a 402, and nothing is sent.
         *
         *     Permission: `sms:bulk` (send the same message to many recipients).
         */
        post: operations["sendBulk"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/messages/estimate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Estimate a send
         * @description Takes the body of a single (`to`) or a bulk send (`recipients`) and returns its segments, its cost and the reasons that would refuse it. Charges and stores nothing. The key needs the permission of that send.
         *
         *     Permission: `sms:send` (send a message to one recipient) or `sms:bulk` (send the same message to many recipients).
         */
        post: operations["estimateMessage"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/messages": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List messages
         * @description The account's messages, newest first.
         *
         *     Permission: `sms:read` (read messages, inbound messages and suppressions).
         */
        get: operations["listMessages"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/messages/{id}/cancel": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Cancel a message
         * @description Ends a pending message that no provider was given: it is `failed` with the error `canceled`, refunded, and raises `message.failed`. It is either canceled or sent, never both. Canceling it again returns the same. A message that was sent, has ended, or is being handed to a provider is a 400 `not_cancelable`.
         *
         *     Permission: `sms:send` (send a message to one recipient) or `sms:bulk` (send the same message to many recipients).
         */
        post: operations["cancelMessage"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/messages/{id}/reschedule": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Reschedule a message
         * @description Gives a message that is scheduled for later another time, or sends it at once. Its text, cost and route stay; quiet hours apply to the new time, and its validity period counts from it. Rescheduling it to the same time again returns the same. A message that is due, was not scheduled or has ended is a 400 `not_reschedulable`.
         *
         *     Permission: `sms:send` (send a message to one recipient) or `sms:bulk` (send the same message to many recipients).
         */
        post: operations["rescheduleMessage"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/messages/{id}/redact": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Delete the text of a message
         * @description Deletes the text of a message that has ended: `body` is empty from now on, also in its events and in webhook tries that still wait. Everything else stays. It cannot be undone; redacting it again returns the same. A message that is `pending` or `sent` is a 400 `not_redactable`.
         *
         *     Permission: `sms:send` (send a message to one recipient) or `sms:bulk` (send the same message to many recipients).
         */
        post: operations["redactMessage"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/messages/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a message
         * @description One message in its current state.
         *
         *     Permission: `sms:read` (read messages, inbound messages and suppressions).
         */
        get: operations["getMessage"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/messages/{id}/timeline": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the timeline of a message
         * @description The history of a message, oldest first: its acceptance, its money, every attempt at a provider, every receipt, event and webhook try.
         *
         *     Permission: `sms:read` (read messages, inbound messages and suppressions).
         */
        get: operations["getMessageTimeline"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/inbound": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List inbound messages
         * @description Messages that people sent to the account's numbers, newest first, each once.
         *
         *     Permission: `sms:read` (read messages, inbound messages and suppressions).
         */
        get: operations["listInbound"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/inbound/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get an inbound message
         * @description One message that somebody sent to a number of the account.
         *
         *     Permission: `sms:read` (read messages, inbound messages and suppressions).
         */
        get: operations["getInbound"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/account": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the account
         * @description The account of the key, with its status and balance.
         *
         *     Permission: any valid key.
         */
        get: operations["getAccount"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/balance": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the balance
         * @description The available balance. The cost of a message is deducted when the message is accepted.
         *
         *     Permission: `balance:read` (read the balance and the usage).
         */
        get: operations["getBalance"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/usage": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the usage of a period
         * @description Messages accepted in the current UTC day or month, or since the account was opened, and their cost.
         *
         *     Permission: `balance:read` (read the balance and the usage).
         */
        get: operations["getUsage"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/senders": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List senders
         * @description The account's sender IDs, newest first.
         *
         *     Permission: any valid key.
         */
        get: operations["listSenders"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/senders/create": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Register a sender
         * @description A new sender is `pending` until an operator of the installation reviews it; in test mode it is `approved` at once.
         *
         *     Permission: `senders:write` (register, change and delete sender IDs, and suppress numbers).
         */
        post: operations["createSender"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/senders/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a sender
         * @description One sender ID of the account.
         *
         *     Permission: any valid key.
         */
        get: operations["getSender"];
        put?: never;
        post?: never;
        /**
         * Delete a sender
         * @description No message is sent from it any more: those that no provider has taken yet fail with `sender_not_approved` and are refunded; those under way go on, and their receipts and webhooks still come. Suppressions stay. A sender that an operator rejected, suspended or slowed down cannot be deleted.
         *
         *     Permission: `senders:write` (register, change and delete sender IDs, and suppress numbers).
         */
        delete: operations["deleteSender"];
        options?: never;
        head?: never;
        /**
         * Change a sender
         * @description Changes the ids of its registration in India (DLT) that are given; null takes one away. They go with the messages that providers are given from then on. Its approval stays.
         *
         *     Permission: `senders:write` (register, change and delete sender IDs, and suppress numbers).
         */
        patch: operations["updateSender"];
        trace?: never;
    };
    "/suppressions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List suppressions
         * @description Numbers that get no messages from the account, newest first.
         *
         *     Permission: `sms:read` (read messages, inbound messages and suppressions).
         */
        get: operations["listSuppressions"];
        put?: never;
        /**
         * Suppress a number
         * @description From now on messages to the number fail at once with `blocklisted`, free of charge. If you suppressed the number before, the response contains that suppression; a recipient's STOP is a separate one.
         *
         *     Permission: `senders:write` (register, change and delete sender IDs, and suppress numbers).
         */
        post: operations["createSuppression"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/suppressions/import": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Suppress a list of numbers
         * @description Suppresses up to 10,000 numbers for one sender ID, or for all. Entries that are not phone numbers are refused alone: check `refused` and `refusals`. Numbers that you suppressed before stay as they are, so a call without a response can simply be repeated. At most 60 calls per minute and account; then 429 `import_limit`.
         *
         *     Permission: `senders:write` (register, change and delete sender IDs, and suppress numbers).
         */
        post: operations["importSuppressions"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/suppressions/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Delete a suppression
         * @description Messages to the number are sent again, unless another suppression applies. After a STOP, get the recipient's consent first: the law of many countries requires it.
         *
         *     Permission: `senders:write` (register, change and delete sender IDs, and suppress numbers).
         */
        delete: operations["deleteSuppression"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api-keys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List API keys
         * @description The keys of the account, newest first: all that work, and as inactive the 200 that were revoked or expired last, within 90 days. Their `daily_limit`, `monthly_limit` and `allowed_ips` are in the response to a change.
         *
         *     Permission: any valid key.
         */
        get: operations["listApiKeys"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api-keys/create": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Create an API key
         * @description The response contains the key itself. It is shown only once, since only its hash is stored. A key cannot grant permissions or limits beyond its own. An account has at most 100 active keys, and makes at most 1,000 in a UTC day.
         *
         *     Permission: `keys:write` (create, change and revoke API keys).
         */
        post: operations["createApiKey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api-keys/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Revoke an API key
         * @description Revokes the key permanently: it is refused everywhere within a second. For a revoked key the response is 404. The keys that it created work on, unless `cascade` is true; then they are revoked with it, or after it. A key revokes no key with permissions beyond its own.
         *
         *     Permission: `keys:write` (create, change and revoke API keys).
         */
        delete: operations["revokeApiKey"];
        options?: never;
        head?: never;
        /**
         * Change an API key
         * @description Changes the fields that are given; they apply everywhere within a second. The key itself and its permissions stay. A key may narrow any key, itself too, but widen one only up to its own limits, and only if it has all its permissions. The response has all limits, also where nothing was given to change.
         *
         *     Permission: `keys:write` (create, change and revoke API keys).
         */
        patch: operations["updateApiKey"];
        trace?: never;
    };
    "/webhooks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List webhook endpoints
         * @description All endpoints of the account, newest first.
         *
         *     Permission: `dlr:read` (read delivery events and webhook endpoints).
         */
        get: operations["listWebhooks"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/webhooks/create": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Create a webhook endpoint
         * @description The response contains the signing secret of the endpoint. It is shown only once.
         *
         *     Permission: `webhooks:write` (create, change and delete webhook endpoints).
         */
        post: operations["createWebhook"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/webhooks/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a webhook endpoint
         * @description One endpoint, with its recent successes and failures.
         *
         *     Permission: `dlr:read` (read delivery events and webhook endpoints).
         */
        get: operations["getWebhook"];
        put?: never;
        post?: never;
        /**
         * Delete a webhook endpoint
         * @description The endpoint gets no more events; its pending deliveries are not sent.
         *
         *     Permission: `webhooks:write` (create, change and delete webhook endpoints).
         */
        delete: operations["deleteWebhook"];
        options?: never;
        head?: never;
        /**
         * Change a webhook endpoint
         * @description Changes the fields that are given. Deliveries that wait are posted to a new URL; new event types apply to events from now on. The secret and the failure count stay, and a disabled endpoint stays disabled until it is enabled.
         *
         *     Permission: `webhooks:write` (create, change and delete webhook endpoints).
         */
        patch: operations["updateWebhook"];
        trace?: never;
    };
    "/webhooks/{id}/deliveries": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the deliveries to a webhook endpoint
         * @description Deliveries, newest first, each with every HTTP try. A delivery is listed when its first try has ended, or as pending when it has waited for that for 30 seconds.
         *
         *     Permission: `dlr:read` (read delivery events and webhook endpoints).
         */
        get: operations["listWebhookDeliveries"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/webhooks/{id}/test": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send a test event
         * @description Immediately posts one signed event about an invented message, with the header `Service-Test: true`, and returns the result. It counts neither as a failure nor as a success, and is not retried.
         *
         *     Permission: `webhooks:write` (create, change and delete webhook endpoints).
         */
        post: operations["testWebhook"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/webhooks/{id}/rotate-secret": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Rotate the signing secret
         * @description Makes a new secret, shown in this response only. The previous secret also signs for 24 hours, or until the next rotation. With an `Idempotency-Key` the secret is rotated once, and repeats get the first response.
         *
         *     Permission: `webhooks:write` (create, change and delete webhook endpoints).
         */
        post: operations["rotateWebhookSecret"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/webhooks/{id}/enable": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Enable a disabled webhook endpoint
         * @description The endpoint gets events from now on. Deliveries that are `held` stay so until they are recovered. An active endpoint is left unchanged. It also ends a pause; `resume` sends the waiting deliveries as well.
         *
         *     Permission: `webhooks:write` (create, change and delete webhook endpoints).
         */
        post: operations["enableWebhook"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/webhooks/{id}/pause": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Pause a webhook endpoint
         * @description No event is sent until the endpoint is resumed; its deliveries wait as `held`. Requests that are under way end as usual, and others may begin within a second. No alert is sent. An endpoint that is paused or disabled is left unchanged.
         *
         *     Permission: `webhooks:write` (create, change and delete webhook endpoints).
         */
        post: operations["pauseWebhook"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/webhooks/{id}/resume": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Resume a paused webhook endpoint
         * @description The endpoint gets events again, and the deliveries that the pause has parked begin a new round of tries; those that were `held` before it stay so. `failure_count` begins at 0. An active endpoint is left unchanged; for one that was disabled by failures the response is 400 `endpoint_disabled`.
         *
         *     Permission: `webhooks:write` (create, change and delete webhook endpoints).
         */
        post: operations["resumeWebhook"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/webhooks/{id}/recover": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send missed events again
         * @description Deliveries of events since `since` that are `held` or `abandoned` begin a new round of tries. The endpoint must be enabled. The request can be repeated safely: recovered deliveries are pending and are skipped. Beyond the first 20,000 deliveries, which the response counts, the service continues in the background. A 503 `recovery_interrupted` says that only a part was recovered: repeat the request for the rest.
         *
         *     Permission: `webhooks:write` (create, change and delete webhook endpoints).
         */
        post: operations["recoverWebhook"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List events
         * @description Status changes of the account's messages, newest first: the same objects that webhooks carry. Inbound messages are listed by `type=message.received`.
         *
         *     Permission: `dlr:read` (read delivery events and webhook endpoints).
         */
        get: operations["listEvents"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export interface webhooks {
    "message.sent": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * A provider accepted a message
         * @description Raised when a message moves to `sent`.
         */
        post: operations["onMessageSent"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "message.delivered": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * A message was delivered
         * @description Raised when the carrier confirms delivery to the handset.
         */
        post: operations["onMessageDelivered"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "message.failed": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * A message failed
         * @description Raised when a message moves to `failed` or to `undelivered`; see `data.status` and `data.error`.
         */
        post: operations["onMessageFailed"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "message.received": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Somebody sent a message to one of your numbers
         * @description Raised once for each inbound message, also for STOP and START. Posted only to endpoints that name this type; `*` does not include it.
         */
        post: operations["onMessageReceived"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export interface components {
    schemas: {
        Message: {
            /** @description Message id, prefix msg_. */
            id: string;
            /**
             * @description Kind of the object: `message`.
             * @constant
             */
            object: "message";
            /** @description Recipient, E.164; of a bulk entry that is no phone number, its first 64 characters. */
            to: string;
            /** @description Sender ID used. */
            from: string;
            /** @description Text of the message as sent; empty once it was deleted, on request or because of its age. */
            body: string;
            /**
             * @description Encoding of the text: `GSM-7`, or `UCS-2` if a character is outside GSM-7.
             * @enum {string}
             */
            encoding: "GSM-7" | "UCS-2";
            /** @description Segments of the text; each is billed. */
            segments: number;
            /** @description The `reference` of the send request; null: none. */
            reference: string | null;
            /** @description The `metadata` of the send request; null: none. */
            metadata: {
                [key: string]: string;
            } | null;
            /**
             * @description `pending` until a provider took it (`sent`), then `delivered`, `undelivered` or `failed`; never back.
             * @enum {string}
             */
            status: "pending" | "sent" | "delivered" | "failed" | "undelivered";
            /** @description Total over all segments, in units of `currency`; 0 once refunded. */
            cost: number;
            /** @description ISO 4217 code. */
            currency: string;
            /** @description Provider that took the message; before that, the first one to be tried; empty: none. */
            provider: string;
            /** @description The provider's own id; empty until a provider took the message. */
            provider_message_id: string;
            /** @description Attempts at providers so far, the one under way included. */
            attempts: number;
            /** @description Reason why it failed or was not delivered; null: it did not fail. */
            error: components["schemas"]["MessageError"] | null;
            /**
             * Format: date-time
             * @description When it was accepted, ISO 8601.
             */
            created_at: string;
            /**
             * Format: date-time
             * @description When a provider took it, ISO 8601; null: not yet.
             */
            sent_at: string | null;
            /**
             * Format: date-time
             * @description When the carrier confirmed delivery, ISO 8601; null: not yet.
             */
            delivered_at: string | null;
            /**
             * Format: date-time
             * @description When it failed for good, ISO 8601; null: it did not.
             */
            failed_at: string | null;
            /**
             * Format: date-time
             * @description When it is to be sent, or was until it ended, ISO 8601: the latest `send_at`, the end of its recipient's quiet hours, or the time at which it was rescheduled to be sent at once. Null: it was not scheduled, or it failed when it was accepted.
             */
            scheduled_at: string | null;
            /** @description Seconds for which it may be sent and delivered, as requested; null: no limit of its own. */
            validity_period: number | null;
        };
        MessageError: {
            /** @description Machine-readable cause: ours are listed in the guide to errors, others are a provider's. */
            code: string;
            /** @description The reason in words. */
            message: string;
            /**
             * @description The kind of failure, the same for all providers: the guide to errors says what to do about each.
             * @enum {string}
             */
            reason: "invalid_recipient" | "unreachable" | "opted_out" | "blocked" | "content" | "sender" | "expired" | "canceled" | "no_provider" | "rate" | "account" | "unknown";
        };
        BulkResult: {
            /**
             * @description Kind of the object: `bulk_result`.
             * @constant
             */
            object: "bulk_result";
            /** @description Recipients in the request. */
            total: number;
            /** @description Messages accepted. */
            sent: number;
            /** @description Recipients that failed at once; see each item's `error`. */
            failed: number;
            /** @description One item per recipient, in the order of the request. */
            messages: components["schemas"]["Message"][];
        };
        Estimate: {
            /**
             * @description Kind of the object: `estimate`.
             * @constant
             */
            object: "estimate";
            /**
             * @description Encoding of the text as it would be sent, with `smart_encoding` if requested.
             * @enum {string}
             */
            encoding: "GSM-7" | "UCS-2";
            /** @description Segments of each message; with `variables`, of the text before they are filled in. */
            segments: number;
            /** @description Characters (code points) of that text. */
            characters: number;
            /** @description Its length: septets in GSM-7, 16-bit units in UCS-2. */
            units: number;
            /** @description Characters of the given `body` that GSM-7 lacks, in order; at most 100. */
            non_gsm: {
                /** @description The character itself. */
                character: string;
                /** @description Its code point, such as U+201C. */
                code_point: string;
                /** @description Its position in `body`, in UTF-16 code units. */
                index: number;
                /** @description Replacement by `smart_encoding`; null: none. For a combining accent this is the whole letter. */
                substitute: string | null;
            }[];
            /** @description The result of `smart_encoding`, whether or not it is requested. */
            smart: {
                /** @description Segments of each message. */
                segments: number;
                /**
                 * @description Encoding of the text.
                 * @enum {string}
                 */
                encoding: "GSM-7" | "UCS-2";
                /** @description Segments saved compared with the text as given. */
                saved_segments: number;
            };
            /** @description Total over all recipients, in units of `currency`. */
            cost: number;
            /** @description ISO 4217 code. */
            currency: string;
            /** @description Available balance of the account, in units of `currency`. */
            balance: number;
            /** @description Whether the balance covers the cost. */
            sufficient: boolean;
            /** @description One item per recipient, in the order of the request. */
            recipients: {
                /** @description Recipient as given; of an entry that is no phone number, its first 64 characters. */
                to: string;
                /** @description Route that it would take; null: it has no route, or its message would be blocked. */
                route_id: number | null;
                /** @description Provider that would be tried first; null without a route. */
                provider: string | null;
                /** @description Price of one segment, in units of `currency`; null without a route. */
                price_per_segment: number | null;
                /** @description Segments of its text, which differ between recipients with `variables`. */
                segments: number;
                /** @description Price of all segments, in units of `currency`; 0 when its message would fail at once. */
                cost: number;
                /**
                 * Format: date-time
                 * @description When it would be sent, ISO 8601: `send_at`, or the end of its recipient's quiet hours; null: at once, or it would fail at once.
                 */
                scheduled_at: string | null;
                /** @description The `error` with which its message would fail at once; null: it would be accepted. */
                refusal: components["schemas"]["MessageError"] | null;
            }[];
            /** @description Errors that would refuse the whole send, first the one that it would return; empty: it would be accepted. */
            refusals: {
                /** @description HTTP status of the send's response. */
                status: number;
                /** @description The send's `error.code`. */
                code: string;
                /** @description The more specific code, as in `error.details.reason`; otherwise the same as `code`. */
                reason: string;
                /** @description The reason in words. */
                message: string;
                /** @description The offending parameter, if any. */
                param: string | null;
            }[];
        };
        Timeline: {
            /**
             * @description Kind of the object: `timeline`.
             * @constant
             */
            object: "timeline";
            /** @description Message id, prefix msg_. */
            message_id: string;
            /** @description All entries, oldest first, a cause before its effect. */
            entries: ({
                /**
                 * Format: date-time
                 * @description When it happened, ISO 8601.
                 */
                at: string;
                /**
                 * @description Kind of the entry; `details` depends on it.
                 * @constant
                 */
                kind: "accepted";
                /** @description One sentence for people. */
                summary: string;
                /** @description The entry's data. */
                details: {
                    /** @description Recipient, E.164. */
                    to: string;
                    /** @description Sender ID used. */
                    from: string;
                    /**
                     * @description Encoding of the text.
                     * @enum {string}
                     */
                    encoding: "GSM-7" | "UCS-2";
                    /** @description Segments of the message. */
                    segments: number;
                    /**
                     * Format: date-time
                     * @description When it was to be sent then, ISO 8601; null: at once, or it failed when it was accepted.
                     */
                    scheduled_at: string | null;
                };
            } | {
                /**
                 * Format: date-time
                 * @description When it happened, ISO 8601.
                 */
                at: string;
                /**
                 * @description Kind of the entry; `details` depends on it.
                 * @constant
                 */
                kind: "rescheduled";
                /** @description One sentence for people. */
                summary: string;
                /** @description The entry's data. */
                details: {
                    /**
                     * Format: date-time
                     * @description When it is to be sent since then, ISO 8601.
                     */
                    scheduled_at: string;
                    /** @description How often it has been rescheduled; all of these share this entry. */
                    times: number;
                };
            } | {
                /**
                 * Format: date-time
                 * @description When it happened, ISO 8601.
                 */
                at: string;
                /**
                 * @description Kind of the entry; `details` depends on it.
                 * @constant
                 */
                kind: "money";
                /** @description One sentence for people. */
                summary: string;
                /** @description The entry's data. */
                details: {
                    /**
                     * @description Reserved, charged or refunded.
                     * @enum {string}
                     */
                    kind: "reserve" | "settle" | "refund";
                    /** @description Change of the balance, in units of `currency`; 0 for `settle`, which charges what was reserved. */
                    amount: number;
                    /** @description ISO 4217 code. */
                    currency: string;
                };
            } | {
                /**
                 * Format: date-time
                 * @description When it happened, ISO 8601.
                 */
                at: string;
                /**
                 * @description Kind of the entry; `details` depends on it.
                 * @constant
                 */
                kind: "attempt";
                /** @description One sentence for people. */
                summary: string;
                /** @description The entry's data. */
                details: {
                    /** @description Number of the attempt, from 1. */
                    seq: number;
                    /** @description Provider that was called. */
                    provider: string;
                    /**
                     * @description Null: not known yet.
                     * @enum {string|null}
                     */
                    outcome: "accepted" | "refused" | "retryable" | "unknown" | null;
                    /** @description The provider's reason, unless it took the message. */
                    code: string | null;
                    /** @description The reason in words. */
                    detail: string | null;
                    /** @description Milliseconds until its response; null: none yet. */
                    latency_ms: number | null;
                };
            } | {
                /**
                 * Format: date-time
                 * @description When it happened, ISO 8601.
                 */
                at: string;
                /**
                 * @description Kind of the entry; `details` depends on it.
                 * @constant
                 */
                kind: "receipt";
                /** @description One sentence for people. */
                summary: string;
                /** @description The entry's data. */
                details: {
                    /**
                     * @description Status that the carrier reported.
                     * @enum {string}
                     */
                    status: "sent" | "delivered" | "failed" | "undelivered";
                    /** @description The carrier's reason. */
                    code: string | null;
                    /** @description The reason in words. */
                    detail: string | null;
                    /** @description Whether it moved the message; late and repeated receipts do not. */
                    applied: boolean;
                };
            } | {
                /**
                 * Format: date-time
                 * @description When it happened, ISO 8601.
                 */
                at: string;
                /**
                 * @description Kind of the entry; `details` depends on it.
                 * @constant
                 */
                kind: "event";
                /** @description One sentence for people. */
                summary: string;
                /** @description The entry's data. */
                details: {
                    /** @description Event id, prefix evt_. */
                    event_id: string;
                    /**
                     * @description Type of the event.
                     * @enum {string}
                     */
                    type: "message.sent" | "message.delivered" | "message.failed";
                    /**
                     * @description Status that the message moved to.
                     * @enum {string}
                     */
                    status: "pending" | "sent" | "delivered" | "failed" | "undelivered";
                };
            } | {
                /**
                 * Format: date-time
                 * @description When it happened, ISO 8601.
                 */
                at: string;
                /**
                 * @description Kind of the entry; `details` depends on it.
                 * @constant
                 */
                kind: "webhook_try";
                /** @description One sentence for people. */
                summary: string;
                /** @description The entry's data. */
                details: {
                    /** @description Event id, prefix evt_. */
                    event_id: string;
                    /** @description Endpoint id, prefix whe_. */
                    endpoint_id: string;
                    /** @description URL that the event was posted to. */
                    url: string;
                    /** @description Round of tries, from 0; each recovery begins the next one, and so does a last try for which the egress proxy was away. */
                    round: number;
                    /** @description Number of the try, from 1 in each round. */
                    attempt: number;
                    /** @description HTTP status of the response; null: no response. */
                    status_code: number | null;
                    /** @description Duration in milliseconds. */
                    latency_ms: number;
                    /** @description Reason why the try failed; null: it was acknowledged. */
                    error: string | null;
                };
            })[];
        };
        InboundMessage: {
            /** @description Inbound message id, prefix inb_. */
            id: string;
            /**
             * @description Kind of the object: `inbound_message`.
             * @constant
             */
            object: "inbound_message";
            /** @description The sender: E.164, or as the provider reported it if it is not a phone number. */
            from: string;
            /** @description Your number, in E.164 form, or your short code or name. */
            to: string;
            /** @description Text as received; may be empty. */
            body: string;
            /**
             * @description `opt_out`: it was a STOP, and suppressed `from` for `to`. `opt_in`: it was a START, and undid that. Null: neither.
             * @enum {string|null}
             */
            action: "opt_out" | "opt_in" | null;
            /** @description Provider that reported the message. */
            provider: string;
            /** @description The provider's own id of the message. */
            provider_message_id: string;
            /**
             * Format: date-time
             * @description When the provider reported it, ISO 8601.
             */
            received_at: string;
            /**
             * Format: date-time
             * @description When it was stored, ISO 8601; the time of the list's order and filters.
             */
            created_at: string;
        };
        Account: {
            /** @description Account id, prefix acc_. */
            id: string;
            /**
             * @description Kind of the object: `account`.
             * @constant
             */
            object: "account";
            /**
             * @description False in test mode, where nothing is sent or billed.
             * @default true
             */
            livemode: boolean;
            /** @description Contact address. */
            email: string;
            /** @description Name of the account's owner. */
            name: string;
            /** @description Company; empty: not given. */
            company_name: string;
            /** @description Country, two letters; empty: not given. */
            country: string;
            /**
             * @description A suspended account can read but not send.
             * @enum {string}
             */
            status: "active" | "suspended";
            /** @description Whether the operator has verified the customer's identity. */
            kyc_verified: boolean;
            /** @description Available balance, in units of `currency`. */
            balance: number;
            /** @description ISO 4217 code. */
            currency: string;
            /** @description Hours in which messages wait instead of being sent; null: none. */
            quiet_hours: {
                /** @description Start by the recipient's clock, HH:MM. */
                starts_at: string;
                /** @description End by the recipient's clock, HH:MM; before `starts_at`: on the next day. */
                ends_at: string;
            } | null;
            /** @description Where the account may send, and for how much a day. */
            sending_limits: {
                /** @description Countries that the account's owners send to; null: all that the operator allows. */
                countries: {
                    /**
                     * @description `only`: to `countries` and nowhere else; `except`: to all but them.
                     * @enum {string}
                     */
                    rule: "only" | "except";
                    /** @description ISO 3166-1 alpha-2 codes, in alphabetical order. */
                    countries: string[];
                } | null;
                /** @description The most that the owners let the account spend in a UTC day, in units of `currency`; null: no cap of theirs. */
                daily_spend_cap: number | null;
                /** @description Limits that only the operator can change. The narrower limit applies. */
                operator: {
                    /** @description Countries that the operator allows; empty: all. */
                    allowed_countries: string[];
                    /** @description The operator's cap for a UTC day, in units of `currency`; null: none. */
                    daily_spend_cap: number | null;
                };
            };
            /** @description Days for which the texts of messages are kept after the messages have ended, as the account's owners set it; null: as long as the operator keeps them. */
            text_retention_days: number | null;
            /**
             * Format: date-time
             * @description Time when the account was created, ISO 8601.
             */
            created_at: string;
        };
        Balance: {
            /**
             * @description Kind of the object: `balance`.
             * @constant
             */
            object: "balance";
            /**
             * @description False in test mode, where nothing is sent or billed.
             * @default true
             */
            livemode: boolean;
            /** @description Available balance, in units of `currency`. */
            balance: number;
            /** @description ISO 4217 code. */
            currency: string;
            /**
             * Format: date-time
             * @description Time when the balance was read, ISO 8601.
             */
            as_of: string;
        };
        Usage: {
            /**
             * @description Kind of the object: `usage`.
             * @constant
             */
            object: "usage";
            /**
             * @description The requested period.
             * @enum {string}
             */
            period: "day" | "month" | "all";
            /**
             * Format: date-time
             * @description Start of the period, inclusive, ISO 8601.
             */
            starts_at: string;
            /**
             * Format: date-time
             * @description End of the period, exclusive, ISO 8601.
             */
            ends_at: string;
            /** @description ISO 4217 code. */
            currency: string;
            /** @description Sums over the period. */
            totals: {
                /** @description Messages accepted in the period. */
                messages: number;
                /** @description Cost of these messages after refunds, in units of `currency`. */
                cost: number;
            };
            /** @description Messages accepted in the period, by current status. */
            by_status: {
                /** @description Messages that no provider has accepted yet. */
                pending: number;
                /** @description Messages that a provider accepted, without a final receipt yet. */
                sent: number;
                /** @description Messages that the carrier confirmed as delivered. */
                delivered: number;
                /** @description Messages that no provider accepted, or that the carrier rejected for good. */
                failed: number;
                /** @description Messages that a provider accepted but that did not reach the handset. */
                undelivered: number;
            };
        };
        Sender: {
            /** @description Sender id, prefix snd_. */
            id: string;
            /**
             * @description Kind of the object: `sender`.
             * @constant
             */
            object: "sender";
            /**
             * @description False in test mode, where nothing is sent or billed.
             * @default true
             */
            livemode: boolean;
            /** @description Origin that recipients see. */
            sender_id: string;
            /**
             * @description Kind of sender ID.
             * @enum {string}
             */
            type: "alphanumeric" | "numeric" | "short_code" | "long_code";
            /** @description Country of registration, ISO 3166-1 alpha-2; null: none. */
            country_code: string | null;
            /**
             * @description Review status. Only an approved sender may be used in `from`.
             * @enum {string}
             */
            status: "pending" | "approved" | "rejected" | "suspended";
            /** @description Reason that the operator gave for a rejection or suspension; null: none. */
            status_reason: string | null;
            /**
             * @description Principal entity id in India (DLT), which carriers get with messages to India; null: none.
             * @default null
             */
            dlt_entity_id: string | null;
            /**
             * @description Template id in India (DLT); null: none.
             * @default null
             */
            dlt_template_id: string | null;
            /**
             * @description Kind of that template; null: none.
             * @default null
             * @enum {string|null}
             */
            dlt_template_category: "transactional" | "promotional" | "service_implicit" | "service_explicit" | null;
            /**
             * Format: date-time
             * @description Time of approval, ISO 8601; null: not approved.
             */
            approved_at: string | null;
            /**
             * Format: date-time
             * @description Time of registration, ISO 8601.
             */
            created_at: string;
        };
        Suppression: {
            /** @description Suppression id, prefix sup_. */
            id: string;
            /**
             * @description Kind of the object: `suppression`.
             * @constant
             */
            object: "suppression";
            /** @description Suppressed number, E.164. */
            number: string;
            /** @description Suppressed sender ID; null: every sender of the account. */
            sender_id: string | null;
            /**
             * @description `stop`: the recipient replied STOP, and can undo it with START. `manual`: you added it.
             * @enum {string}
             */
            reason: "stop" | "manual";
            /** @description Your note; null: none. */
            note: string | null;
            /**
             * Format: date-time
             * @description Time of creation, ISO 8601; for `stop`, the time of the latest STOP.
             */
            created_at: string;
        };
        SuppressionImport: {
            /**
             * @description Kind of the object: `suppression_import`.
             * @constant
             */
            object: "suppression_import";
            /** @description Numbers that are suppressed from now on. */
            added: number;
            /** @description Numbers that you had suppressed before; they keep their note. */
            existing: number;
            /** @description Repeats within the list. */
            duplicates: number;
            /** @description Entries that are not phone numbers. The four counts add up to the length of the list. */
            refused: number;
            /** @description The first 100 refused entries. */
            refusals: {
                /** @description Place in the list, from 1. */
                line: number;
                /** @description The entry as it was given; the first 64 characters if it is longer. */
                number: string;
                /**
                 * @description `invalid_recipient`: not a phone number with its country code.
                 * @constant
                 */
                reason: "invalid_recipient";
            }[];
        };
        ApiKey: {
            /** @description Key id, prefix key_. */
            id: string;
            /**
             * @description Kind of the object: `api_key`.
             * @constant
             */
            object: "api_key";
            /**
             * @description False in test mode, where nothing is sent or billed.
             * @default true
             */
            livemode: boolean;
            /** @description Your name for the key. */
            name: string;
            /** @description Abbreviated key: first characters, an ellipsis, last characters. */
            key_hint: string;
            /** @description False once revoked or expired. */
            is_active: boolean;
            /** @description Permissions of the key. */
            permissions: ("sms:send" | "sms:bulk" | "sms:read" | "balance:read" | "dlr:read" | "senders:write" | "keys:write" | "webhooks:write")[];
            /** @description Requests per minute. */
            rate_limit: number;
            /** @description Messages per UTC day; null: no limit. Only in the response to a change. */
            daily_limit?: number | null;
            /** @description Messages per UTC month; null: no limit. Only in the response to a change. */
            monthly_limit?: number | null;
            /** @description IPv4 addresses or CIDR ranges from which the key may be used; null: any. Only in the response to a change. */
            allowed_ips?: string[] | null;
            /** @description Id of the key that created it, whose limits it shares; null: a person, or not known. */
            created_by: string | null;
            /**
             * Format: date-time
             * @description Time of the last use, ISO 8601, exact to a minute; null: never.
             */
            last_used_at: string | null;
            /**
             * Format: date-time
             * @description Time when the key expires, ISO 8601; null: never.
             */
            expires_at: string | null;
            /**
             * Format: date-time
             * @description Time of creation, ISO 8601.
             */
            created_at: string;
        };
        CreatedApiKey: {
            /** @description Key id, prefix key_. */
            id: string;
            /**
             * @description Kind of the object: `api_key`.
             * @constant
             */
            object: "api_key";
            /**
             * @description False in test mode, where nothing is sent or billed.
             * @default true
             */
            livemode: boolean;
            /** @description Your name for the key. */
            name: string;
            /** @description Abbreviated key: first characters, an ellipsis, last characters. */
            key_hint: string;
            /** @description False once revoked or expired. */
            is_active: boolean;
            /** @description Permissions of the key. */
            permissions: ("sms:send" | "sms:bulk" | "sms:read" | "balance:read" | "dlr:read" | "senders:write" | "keys:write" | "webhooks:write")[];
            /** @description Requests per minute. */
            rate_limit: number;
            /** @description Id of the key that created it, whose limits it shares; null: a person, or not known. */
            created_by: string | null;
            /**
             * Format: date-time
             * @description Time of the last use, ISO 8601, exact to a minute; null: never.
             */
            last_used_at: string | null;
            /**
             * Format: date-time
             * @description Time when the key expires, ISO 8601; null: never.
             */
            expires_at: string | null;
            /**
             * Format: date-time
             * @description Time of creation, ISO 8601.
             */
            created_at: string;
            /** @description The whole key, shown in this response only; only its hash is stored. */
            plain_key: string;
            /** @description A reminder to store the key now. */
            plain_key_notice: string;
        };
        WebhookEndpoint: {
            /** @description Endpoint id, prefix whe_. */
            id: string;
            /**
             * @description Kind of the object: `webhook_endpoint`.
             * @constant
             */
            object: "webhook_endpoint";
            /**
             * @description False in test mode, where nothing is sent or billed.
             * @default true
             */
            livemode: boolean;
            /** @description URL that events are posted to. */
            url: string;
            /** @description Your description of the endpoint; null: none. */
            description: string | null;
            /** @description Event types that the endpoint is subscribed to. */
            events: ("message.sent" | "message.delivered" | "message.failed" | "message.received")[];
            /** @description False after 25 consecutive failed tries or a response with status 410 (`disabled_reason` says which), and while the endpoint is paused (`paused_at`). */
            is_active: boolean;
            /** @description Consecutive failed tries; any 2xx resets it to 0. */
            failure_count: number;
            /**
             * Format: date-time
             * @description Time of the last acknowledged try, ISO 8601; null: never.
             */
            last_success_at: string | null;
            /**
             * Format: date-time
             * @description Time of the last failed try, ISO 8601; null: never.
             */
            last_failure_at: string | null;
            /**
             * Format: date-time
             * @description Time when the endpoint was disabled or paused, ISO 8601; null: it is active.
             */
            disabled_at: string | null;
            /**
             * @description Why it was disabled: `consecutive_failures`, 25 failed tries in a row, or `gone`, a response with status 410. Null: it is active or paused, or was disabled before reasons were kept.
             * @default null
             * @enum {string|null}
             */
            disabled_reason: "consecutive_failures" | "gone" | null;
            /**
             * Format: date-time
             * @description Time when the endpoint was paused, ISO 8601; null: it is not paused. Only `resume` or `enable` ends a pause.
             * @default null
             */
            paused_at: string | null;
            /**
             * @description Id of the API key (prefix key_) or person (prefix usr_) that paused it; null: it is not paused.
             * @default null
             */
            paused_by: string | null;
            /**
             * Format: date-time
             * @description Time of creation, ISO 8601.
             */
            created_at: string;
        };
        CreatedWebhookEndpoint: {
            /** @description Endpoint id, prefix whe_. */
            id: string;
            /**
             * @description Kind of the object: `webhook_endpoint`.
             * @constant
             */
            object: "webhook_endpoint";
            /**
             * @description False in test mode, where nothing is sent or billed.
             * @default true
             */
            livemode: boolean;
            /** @description URL that events are posted to. */
            url: string;
            /** @description Your description of the endpoint; null: none. */
            description: string | null;
            /** @description Event types that the endpoint is subscribed to. */
            events: ("message.sent" | "message.delivered" | "message.failed" | "message.received")[];
            /** @description False after 25 consecutive failed tries or a response with status 410 (`disabled_reason` says which), and while the endpoint is paused (`paused_at`). */
            is_active: boolean;
            /** @description Consecutive failed tries; any 2xx resets it to 0. */
            failure_count: number;
            /**
             * Format: date-time
             * @description Time of the last acknowledged try, ISO 8601; null: never.
             */
            last_success_at: string | null;
            /**
             * Format: date-time
             * @description Time of the last failed try, ISO 8601; null: never.
             */
            last_failure_at: string | null;
            /**
             * Format: date-time
             * @description Time when the endpoint was disabled or paused, ISO 8601; null: it is active.
             */
            disabled_at: string | null;
            /**
             * @description Why it was disabled: `consecutive_failures`, 25 failed tries in a row, or `gone`, a response with status 410. Null: it is active or paused, or was disabled before reasons were kept.
             * @default null
             * @enum {string|null}
             */
            disabled_reason: "consecutive_failures" | "gone" | null;
            /**
             * Format: date-time
             * @description Time when the endpoint was paused, ISO 8601; null: it is not paused. Only `resume` or `enable` ends a pause.
             * @default null
             */
            paused_at: string | null;
            /**
             * @description Id of the API key (prefix key_) or person (prefix usr_) that paused it; null: it is not paused.
             * @default null
             */
            paused_by: string | null;
            /**
             * Format: date-time
             * @description Time of creation, ISO 8601.
             */
            created_at: string;
            /** @description HMAC SHA-256 secret, shown in this response only. */
            signing_secret: string;
        };
        RotatedWebhookEndpoint: {
            /** @description Endpoint id, prefix whe_. */
            id: string;
            /**
             * @description Kind of the object: `webhook_endpoint`.
             * @constant
             */
            object: "webhook_endpoint";
            /**
             * @description False in test mode, where nothing is sent or billed.
             * @default true
             */
            livemode: boolean;
            /** @description URL that events are posted to. */
            url: string;
            /** @description Your description of the endpoint; null: none. */
            description: string | null;
            /** @description Event types that the endpoint is subscribed to. */
            events: ("message.sent" | "message.delivered" | "message.failed" | "message.received")[];
            /** @description False after 25 consecutive failed tries or a response with status 410 (`disabled_reason` says which), and while the endpoint is paused (`paused_at`). */
            is_active: boolean;
            /** @description Consecutive failed tries; any 2xx resets it to 0. */
            failure_count: number;
            /**
             * Format: date-time
             * @description Time of the last acknowledged try, ISO 8601; null: never.
             */
            last_success_at: string | null;
            /**
             * Format: date-time
             * @description Time of the last failed try, ISO 8601; null: never.
             */
            last_failure_at: string | null;
            /**
             * Format: date-time
             * @description Time when the endpoint was disabled or paused, ISO 8601; null: it is active.
             */
            disabled_at: string | null;
            /**
             * @description Why it was disabled: `consecutive_failures`, 25 failed tries in a row, or `gone`, a response with status 410. Null: it is active or paused, or was disabled before reasons were kept.
             * @default null
             * @enum {string|null}
             */
            disabled_reason: "consecutive_failures" | "gone" | null;
            /**
             * Format: date-time
             * @description Time when the endpoint was paused, ISO 8601; null: it is not paused. Only `resume` or `enable` ends a pause.
             * @default null
             */
            paused_at: string | null;
            /**
             * @description Id of the API key (prefix key_) or person (prefix usr_) that paused it; null: it is not paused.
             * @default null
             */
            paused_by: string | null;
            /**
             * Format: date-time
             * @description Time of creation, ISO 8601.
             */
            created_at: string;
            /** @description HMAC SHA-256 secret, shown in this response only. */
            signing_secret: string;
            /**
             * Format: date-time
             * @description Time until which requests are also signed with the previous secret, ISO 8601.
             */
            previous_secret_expires_at: string;
        };
        WebhookDelivery: {
            /** @description Delivery id, prefix dlv_. */
            id: string;
            /**
             * @description Kind of the object: `webhook_delivery`.
             * @constant
             */
            object: "webhook_delivery";
            /** @description Event id, prefix evt_. */
            event_id: string;
            /**
             * @description Event type.
             * @enum {string}
             */
            event_type: "message.sent" | "message.delivered" | "message.failed" | "message.received";
            /** @description Id of the event's message, prefix msg_, or inb_ for `message.received`. */
            message_id: string;
            /**
             * @description `held`: the endpoint is disabled or paused. `abandoned`: all six tries failed. Both can be recovered.
             * @enum {string}
             */
            status: "pending" | "delivered" | "abandoned" | "held";
            /** @description Round of tries, from 0; each recovery begins the next one, and so does a last try for which the egress proxy was away. */
            round: number;
            /** @description Tries made in this round. */
            attempts: number;
            /**
             * Format: date-time
             * @description Time of the next try, ISO 8601; null: none is scheduled.
             */
            next_attempt_at: string | null;
            /**
             * @description The next try, by the clock of the service. `due`: it is queued or being made. `overdue`: it has been due for more than 30 seconds, as in a backlog. null: none is scheduled.
             * @enum {string|null}
             */
            next_attempt_state: "scheduled" | "due" | "overdue" | null;
            /**
             * Format: date-time
             * @description Time of the event, ISO 8601.
             */
            created_at: string;
            /** @description All tries of all rounds, oldest first. */
            tries: {
                /** @description Round of the try. */
                round: number;
                /** @description Number of the try in its round, from 1. */
                attempt: number;
                /** @description HTTP status of the response; null: no response. */
                status_code: number | null;
                /** @description Duration in milliseconds. */
                latency_ms: number;
                /** @description Reason of the failure; null: the try was acknowledged. */
                error: string | null;
                /** @description First KiB of the response body; null: no complete response. */
                response_head: string | null;
                /**
                 * Format: date-time
                 * @description Time when the try ended, ISO 8601.
                 */
                created_at: string;
            }[];
        };
        WebhookTest: {
            /**
             * @description Kind of the object: `webhook_test`.
             * @constant
             */
            object: "webhook_test";
            /** @description Whether the endpoint responded 2xx in time. */
            delivered: boolean;
            /** @description HTTP status of the response; null: no response. */
            status_code: number | null;
            /** @description Duration in milliseconds. */
            latency_ms: number;
            /** @description Reason of the failure; null: the event was delivered. */
            error: string | null;
            /** @description First KiB of the response body; null: no complete response. */
            response_head: string | null;
        };
        WebhookRecovery: {
            /**
             * @description Kind of the object: `webhook_recovery`.
             * @constant
             */
            object: "webhook_recovery";
            /** @description Number of deliveries that were queued again. */
            recovered: number;
        };
        Event: {
            /** @description Event id, prefix evt_; the same in every delivery of the event. */
            id: string;
            /**
             * @description Kind of the object: `event`.
             * @constant
             */
            object: "event";
            /**
             * @description False in test mode, where nothing is sent or billed.
             * @default true
             */
            livemode: boolean;
            /**
             * @description Event type; `message.failed` also stands for `undelivered`.
             * @enum {string}
             */
            type: "message.sent" | "message.delivered" | "message.failed";
            /**
             * Format: date-time
             * @description Time of the event, ISO 8601.
             */
            created_at: string;
            /** @description The message as it was at the time of the event. */
            data: components["schemas"]["EventMessage"];
        };
        EventMessage: {
            /** @description Message id, prefix msg_. */
            id: string;
            /**
             * @description Kind of the object: `message`.
             * @constant
             */
            object: "message";
            /** @description Recipient, E.164; of a bulk entry that is no phone number, its first 64 characters. */
            to: string;
            /** @description Sender ID used. */
            from: string;
            /** @description Text of the message as sent; empty once it was deleted, on request or because of its age. */
            body: string;
            /**
             * @description Encoding of the text: `GSM-7`, or `UCS-2` if a character is outside GSM-7.
             * @enum {string}
             */
            encoding: "GSM-7" | "UCS-2";
            /** @description Segments of the text; each is billed. */
            segments: number;
            /** @description The `reference` of the send request; null: none. */
            reference: string | null;
            /** @description The `metadata` of the send request; null: none. */
            metadata: {
                [key: string]: string;
            } | null;
            /**
             * @description `pending` until a provider took it (`sent`), then `delivered`, `undelivered` or `failed`; never back.
             * @enum {string}
             */
            status: "pending" | "sent" | "delivered" | "failed" | "undelivered";
            /** @description Total over all segments, in units of `currency`; 0 once refunded. */
            cost: number;
            /** @description ISO 4217 code. */
            currency: string;
            /** @description Provider that took the message; before that, the first one to be tried; empty: none. */
            provider: string;
            /** @description The provider's own id; empty until a provider took the message. */
            provider_message_id: string;
            /** @description Attempts at providers so far, the one under way included. */
            attempts: number;
            /** @description Reason why it failed or was not delivered; null: it did not fail. */
            error: components["schemas"]["MessageError"] | null;
            /**
             * Format: date-time
             * @description When it was accepted, ISO 8601.
             */
            created_at: string;
            /**
             * Format: date-time
             * @description When a provider took it, ISO 8601; null: not yet.
             */
            sent_at: string | null;
            /**
             * Format: date-time
             * @description When the carrier confirmed delivery, ISO 8601; null: not yet.
             */
            delivered_at: string | null;
            /**
             * Format: date-time
             * @description When it failed for good, ISO 8601; null: it did not.
             */
            failed_at: string | null;
            /**
             * Format: date-time
             * @description When it is to be sent, or was until it ended, ISO 8601: the latest `send_at`, the end of its recipient's quiet hours, or the time at which it was rescheduled to be sent at once. Null: it was not scheduled, or it failed when it was accepted.
             */
            scheduled_at: string | null;
            /** @description Seconds for which it may be sent and delivered, as requested; null: no limit of its own. */
            validity_period: number | null;
        };
        ReceivedEvent: {
            /** @description Event id, prefix evt_; the same in every delivery of the event. */
            id: string;
            /**
             * @description Kind of the object: `event`.
             * @constant
             */
            object: "event";
            /**
             * @description False in test mode, where nothing is sent or billed.
             * @default true
             */
            livemode: boolean;
            /**
             * @description Event type.
             * @constant
             */
            type: "message.received";
            /**
             * Format: date-time
             * @description Time of the event, ISO 8601.
             */
            created_at: string;
            /** @description The message that was received. */
            data: components["schemas"]["InboundMessage"];
        };
        Deleted: {
            /** @description Id of the deleted resource. */
            id: string;
            /** @description Kind of the deleted resource, such as `api_key`. */
            object: string;
            /**
             * @description Always true.
             * @constant
             */
            deleted: true;
        };
        Pagination: {
            /** @description Current page, from 1. */
            page: number;
            /** @description Items per page, as requested. */
            limit: number;
            /** @description Items over all pages. */
            total: number;
            /** @description Number of pages; 0 when there is nothing. */
            pages: number;
            /** @description Whether another page follows. */
            has_more: boolean;
        };
        CreateApiKeyRequest: {
            /** @description Your name for the key. */
            name: string;
            /** @description Permissions of the key, never more than its creator has. Omitted: the creator's permissions. */
            permissions?: ("sms:send" | "sms:bulk" | "sms:read" | "balance:read" | "dlr:read" | "senders:write" | "keys:write" | "webhooks:write")[];
            /** @description Requests per minute, 1 to 6000. Omitted: 600, or the creating key's limit if that is lower. */
            rate_limit?: number;
            /** @description Messages per UTC day; null: no limit. Omitted: the creating key's limit. */
            daily_limit?: number | null;
            /** @description Messages per UTC month; null: no limit. Omitted: the creating key's limit. */
            monthly_limit?: number | null;
            /** @description IPv4 addresses or CIDR ranges from which the key may be used; null or an empty list: any. Omitted: those of the creating key. */
            allowed_ips?: string[] | null;
            /**
             * Format: date-time
             * @description Time when the key expires, ISO 8601, in the future; null: never. Omitted: with the creating key.
             */
            expires_at?: string | null;
        };
        SendMessageRequest: {
            /** @description Recipient, E.164. */
            to: string;
            /** @description An approved sender ID of the account; a number with its `+` or without, and then the message has the registered spelling. */
            from: string;
            /** @description Text, up to 1,600 characters; split into segments of 160/153 (GSM-7) or 70/67 (UCS-2). */
            body: string;
            /** @description Route to use; null or omitted: chosen by the recipient's prefix. */
            route_id?: number | null;
            /**
             * @description Provider to try first; the rest of the chain follows it.
             * @enum {string|null}
             */
            provider?: "twilio" | "vonage" | "messagebird" | "plivo" | "telnyx" | "sinch" | "infobip" | "africastalking" | "clickatell" | "bandwidth" | "smpp" | "sandbox" | null;
            /** @description Replaces typographic punctuation and unusual spaces by GSM-7 characters; false when null or omitted. The response's `body` is the text as sent. */
            smart_encoding?: boolean | null;
            /**
             * Format: date-time
             * @description When to send, ISO 8601 with an offset; in the future, at most 30 days ahead. The cost is reserved at once. Null or omitted: at once.
             */
            send_at?: string | null;
            /** @description Seconds, 60 to 259,200, from `send_at` or else the acceptance: after that no provider gets it, and one that has it is asked to stop trying. Null or omitted: no limit of its own. */
            validity_period?: number | null;
            /**
             * @description `ignore` sends in quiet hours of the recipient too, for what cannot wait, such as a one-time code. Omitted, null or `apply`: in quiet hours, if the account has any, the message waits for their end.
             * @enum {string|null}
             */
            quiet_hours?: "apply" | "ignore" | null;
            /** @description Your own id; returned with the message and in webhooks as it is, also an empty one, and a filter of the list. Null or omitted: none. */
            reference?: string | null;
            /** @description Up to 20 pairs of your own, keys of 1 to 40 and values of up to 500 characters; returned with the message and in webhooks, and filters of the list. */
            metadata?: {
                [key: string]: string;
            } | null;
        };
        SendBulkRequest: {
            /** @description 1 to 1,000 recipients, E.164; each gets a message of its own. An invalid one fails alone. */
            recipients: string[];
            /** @description An approved sender ID of the account; a number with its `+` or without, and then the message has the registered spelling. */
            from: string;
            /** @description Text, up to 1,600 characters; split into segments of 160/153 (GSM-7) or 70/67 (UCS-2). */
            body: string;
            /** @description Route to use; null or omitted: chosen by the recipient's prefix. */
            route_id?: number | null;
            /**
             * @description Provider to try first; the rest of the chain follows it.
             * @enum {string|null}
             */
            provider?: "twilio" | "vonage" | "messagebird" | "plivo" | "telnyx" | "sinch" | "infobip" | "africastalking" | "clickatell" | "bandwidth" | "smpp" | "sandbox" | null;
            /** @description Replaces typographic punctuation and unusual spaces by GSM-7 characters; false when null or omitted. The response's `body` is the text as sent. */
            smart_encoding?: boolean | null;
            /**
             * Format: date-time
             * @description When to send, ISO 8601 with an offset; in the future, at most 30 days ahead. The cost is reserved at once. Null or omitted: at once.
             */
            send_at?: string | null;
            /** @description Seconds, 60 to 259,200, from `send_at` or else the acceptance: after that no provider gets it, and one that has it is asked to stop trying. Null or omitted: no limit of its own. */
            validity_period?: number | null;
            /**
             * @description `ignore` sends in quiet hours of the recipient too, for what cannot wait, such as a one-time code. Omitted, null or `apply`: in quiet hours, if the account has any, the message waits for their end.
             * @enum {string|null}
             */
            quiet_hours?: "apply" | "ignore" | null;
            /** @description Up to 20 pairs of your own, keys of 1 to 40 and values of up to 500 characters; returned with the message and in webhooks, and filters of the list. */
            metadata?: {
                [key: string]: string;
            } | null;
            /** @description Values for the placeholders of `body`, such as `{{name}}`: one object per recipient, in the order of `recipients`. Null or omitted: `body` is sent as it is. */
            variables?: {
                [key: string]: string;
            }[] | null;
        };
        EstimateMessageRequest: {
            /** @description Recipient, E.164, as in a single send; or give `recipients`. */
            to?: string;
            /** @description 1 to 1,000 recipients, E.164, as in a bulk send; or give `to`. */
            recipients?: string[];
            /** @description An approved sender ID of the account; a number with its `+` or without, and then the message has the registered spelling. */
            from: string;
            /** @description Text, up to 1,600 characters; split into segments of 160/153 (GSM-7) or 70/67 (UCS-2). */
            body: string;
            /** @description Route to use; null or omitted: chosen by the recipient's prefix. */
            route_id?: number | null;
            /**
             * @description Provider to try first; the rest of the chain follows it.
             * @enum {string|null}
             */
            provider?: "twilio" | "vonage" | "messagebird" | "plivo" | "telnyx" | "sinch" | "infobip" | "africastalking" | "clickatell" | "bandwidth" | "smpp" | "sandbox" | null;
            /** @description Replaces typographic punctuation and unusual spaces by GSM-7 characters; false when null or omitted. The response's `body` is the text as sent. */
            smart_encoding?: boolean | null;
            /**
             * Format: date-time
             * @description When to send, ISO 8601 with an offset; in the future, at most 30 days ahead. The cost is reserved at once. Null or omitted: at once.
             */
            send_at?: string | null;
            /** @description Seconds, 60 to 259,200, from `send_at` or else the acceptance: after that no provider gets it, and one that has it is asked to stop trying. Null or omitted: no limit of its own. */
            validity_period?: number | null;
            /**
             * @description `ignore` sends in quiet hours of the recipient too, for what cannot wait, such as a one-time code. Omitted, null or `apply`: in quiet hours, if the account has any, the message waits for their end.
             * @enum {string|null}
             */
            quiet_hours?: "apply" | "ignore" | null;
            /** @description Values for the placeholders of `body`, such as `{{name}}`: one object per recipient, in the order of `recipients`. Null or omitted: `body` is sent as it is. */
            variables?: {
                [key: string]: string;
            }[] | null;
            /** @description Your own id, as in a single send; the estimate ignores it. */
            reference?: string | null;
            /** @description As in a send; the estimate ignores it. */
            metadata?: {
                [key: string]: string;
            } | null;
        } & (unknown | unknown);
        CreateSenderRequest: {
            /** @description Up to 11 characters: letters (A to Z), digits, spaces and . _ - &, with at least one letter and no space at either end; or a number of 3 to 15 digits, with or without a leading +. */
            sender_id: string;
            /**
             * @description Kind of sender ID. Omitted: derived from `sender_id`.
             * @enum {string}
             */
            type?: "alphanumeric" | "numeric" | "short_code" | "long_code";
            /** @description Country of registration, ISO 3166-1 alpha-2. */
            country_code?: string;
            /** @description Principal entity id of the registration in India (DLT), up to 30 digits. */
            dlt_entity_id?: string | null;
            /** @description Id of the registered template that texts of this sender follow, up to 30 digits; with `dlt_entity_id` only. */
            dlt_template_id?: string | null;
            /**
             * @description Kind of that template; with `dlt_entity_id` only.
             * @enum {string|null}
             */
            dlt_template_category?: "transactional" | "promotional" | "service_implicit" | "service_explicit" | null;
        };
        CreateSuppressionRequest: {
            /** @description Number to suppress, E.164. */
            number: string;
            /** @description One of the account's sender IDs, a number with its `+` or without; null or omitted: all of them, including future ones. */
            sender_id?: string | null;
            /** @description Your note, up to 255 characters. */
            note?: string | null;
        };
        ImportSuppressionsRequest: {
            /** @description Numbers to suppress, each with its country code; `+`, `00` and separators between digits may differ. */
            numbers: string[];
            /** @description One of the account's sender IDs, a number with its `+` or without; null or omitted: all of them, including future ones. */
            sender_id?: string | null;
            /** @description Your note on each number that is added, up to 255 characters. */
            note?: string | null;
        };
        CreateWebhookRequest: {
            /**
             * Format: uri
             * @description URL that events are posted to, http or https; https is recommended.
             */
            url: string;
            /** @description Your description of the endpoint. */
            description?: string | null;
            /** @description Event types to subscribe to; omitted or `*`: all but `message.received`, which has to be named. */
            events?: ("*" | "message.sent" | "message.delivered" | "message.failed" | "message.received")[];
        };
        UpdateApiKeyRequest: {
            /** @description New name; omitted: unchanged. */
            name?: string;
            /** @description Requests per minute, 1 to 6000; omitted: unchanged. */
            rate_limit?: number;
            /** @description Messages per UTC day; null: no limit; omitted: unchanged. */
            daily_limit?: number | null;
            /** @description Messages per UTC month; null: no limit; omitted: unchanged. */
            monthly_limit?: number | null;
            /** @description IPv4 addresses or CIDR ranges; null or an empty list: any; omitted: unchanged. */
            allowed_ips?: string[] | null;
            /**
             * Format: date-time
             * @description Time when the key expires, ISO 8601, in the future; null: never; omitted: unchanged.
             */
            expires_at?: string | null;
        };
        RescheduleMessageRequest: {
            /**
             * Format: date-time
             * @description When to send instead, ISO 8601 with an offset; in the future, at most 30 days ahead. Null: at once.
             */
            send_at: string | null;
            /**
             * @description `ignore` sends in quiet hours of the recipient too, for what cannot wait, such as a one-time code. Omitted, null or `apply`: in quiet hours, if the account has any, the message waits for their end.
             * @enum {string|null}
             */
            quiet_hours?: "apply" | "ignore" | null;
        };
        UpdateSenderRequest: {
            /** @description Principal entity id of the registration in India (DLT), up to 30 digits. */
            dlt_entity_id?: string | null;
            /** @description Id of the registered template that texts of this sender follow, up to 30 digits; with `dlt_entity_id` only. */
            dlt_template_id?: string | null;
            /**
             * @description Kind of that template; with `dlt_entity_id` only.
             * @enum {string|null}
             */
            dlt_template_category?: "transactional" | "promotional" | "service_implicit" | "service_explicit" | null;
        };
        UpdateWebhookRequest: {
            /**
             * Format: uri
             * @description New URL, http or https; omitted: unchanged.
             */
            url?: string;
            /** @description New description; null: none; omitted: unchanged. */
            description?: string | null;
            /** @description New event types; `*`: all but `message.received`; omitted: unchanged. */
            events?: ("*" | "message.sent" | "message.delivered" | "message.failed" | "message.received")[];
        };
        RecoverWebhookRequest: {
            /**
             * Format: date-time
             * @description Start time, ISO 8601: `held` or `abandoned` deliveries of events since then are sent again.
             */
            since: string;
        };
        /** @description Metadata of every response. */
        Meta: {
            /** @description Id of the request, prefix req_; quote it in support requests. */
            request_id: string;
            /**
             * @description Version of the API.
             * @constant
             */
            api_version: "v1";
            /** @description Of a page of a list: `cursor` of the next page; null: this is the last. Absent otherwise. */
            next_cursor?: string | null;
            /** @description Fields and query parameters of the request that were ignored: the operation does not know them, or a field was given more than once; at most 20. Absent when there are none. With `Prefer: handling=strict` they are a 400 instead. */
            warnings?: {
                /**
                 * @description Kind of the warning. Of a repeated field the last value was taken.
                 * @enum {string}
                 */
                code: "unknown_parameter" | "repeated_parameter";
                /** @description The name as it was sent. */
                param: string;
                /** @description The reason in words, after the name. */
                message: string;
            }[];
        };
        /** @description The body of every error response. */
        Error: {
            /**
             * @description Always false.
             * @constant
             */
            success: false;
            /** @description The error. */
            error: {
                /**
                 * @description Kind of the error.
                 * @enum {string}
                 */
                type: "invalid_request_error" | "authentication_error" | "authorization_error" | "balance_error" | "rate_limit_error" | "provider_error" | "api_error";
                /** @description Machine-readable code, one per status. */
                code: string;
                /** @description Human-readable reason; its wording may change. */
                message: string;
                /** @description The invalid parameter, such as `recipients[3]`; null: none in particular. */
                param: string | null;
                /** @description Details. `reason` is a more specific machine-readable code, `issues` lists invalid inputs. */
                details: {
                    /** @description The specific code; the guide to errors lists all of them. */
                    reason?: string;
                    /**
                     * @description With 503: false where it is certain that nothing was carried out, absent where it is not.
                     * @constant
                     */
                    carried_out?: false;
                    /** @description Problems of the input, at most 20. */
                    issues?: {
                        /** @description The invalid parameter. */
                        param: string | null;
                        /** @description The problem. */
                        message: string;
                    }[];
                } & {
                    [key: string]: unknown;
                };
            };
            meta: components["schemas"]["Meta"];
        };
    };
    responses: {
        /** @description The input is invalid; `error.param` names the parameter. */
        InvalidRequest: {
            headers: {
                "Request-Id": components["headers"]["Request-Id"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                RateLimit: components["headers"]["RateLimit"];
                "Preference-Applied": components["headers"]["Preference-Applied"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description The API key is missing, unknown, revoked or expired. */
        Unauthorized: {
            headers: {
                "Request-Id": components["headers"]["Request-Id"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description The balance does not cover the request. Nothing was sent or charged. */
        InsufficientBalance: {
            headers: {
                "Request-Id": components["headers"]["Request-Id"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                RateLimit: components["headers"]["RateLimit"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description The key lacks the permission or may not be used from this address, or the account is suspended. */
        Forbidden: {
            headers: {
                "Request-Id": components["headers"]["Request-Id"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description There is nothing with this id in your account. */
        NotFound: {
            headers: {
                "Request-Id": components["headers"]["Request-Id"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                RateLimit: components["headers"]["RateLimit"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description More requests per minute, or more messages per day or month, than the key allows, or more requests, test events or spending than the account allows. Nothing was done. */
        RateLimited: {
            headers: {
                "Request-Id": components["headers"]["Request-Id"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                RateLimit: components["headers"]["RateLimit"];
                "Retry-After": components["headers"]["Retry-After"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description An internal error. The request may or may not have been carried out: repeat it with the same Idempotency-Key. */
        InternalError: {
            headers: {
                "Request-Id": components["headers"]["Request-Id"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description The database is restarting, or the service is overloaded or being upgraded. `error.details.carried_out` is false where it is certain that nothing was carried out. Repeat the request after `Retry-After` seconds, with the same Idempotency-Key. */
        ServiceUnavailable: {
            headers: {
                "Request-Id": components["headers"]["Request-Id"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "Retry-After": components["headers"]["Retry-After"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
    };
    parameters: {
        /**
         * @description `handling=strict` (RFC 7240) refuses fields and query parameters that the operation does not know, and repeated fields, with 400. Without it they are ignored, and `meta.warnings` names them.
         * @example handling=strict
         */
        Prefer: string;
        /**
         * @description A key that you choose, such as a UUID. Within 24 hours the same request with the same key is carried out once, and repeats get the first response. The same key with another request is refused with 400.
         * @example 6f1c2d34-9a70-4b5e-8c21-0d3e4f5a6b7c
         */
        IdempotencyKey: string;
    };
    requestBodies: never;
    headers: {
        /**
         * @description Maximum requests of the key per minute.
         * @example 600
         */
        "RateLimit-Limit": number;
        /**
         * @description Requests left in this minute.
         * @example 599
         */
        "RateLimit-Remaining": number;
        /**
         * @description Seconds until the next minute begins.
         * @example 42
         */
        "RateLimit-Reset": number;
        /**
         * @description The limits that apply, as in draft-ietf-httpapi-ratelimit-headers: `q` requests in `w` seconds, of the key and, where it was counted, of the account.
         * @example "key";q=600;w=60, "account";q=3000;w=60
         */
        "RateLimit-Policy": string;
        /**
         * @description Requests that the key has left (`r`) for the next `t` seconds; once the account has none, `"account";r=0`.
         * @example "key";r=599;t=42
         */
        RateLimit: string;
        /**
         * @description Id of the request, as `meta.request_id`.
         * @example req_01k9x7t4m2e8v5q3r6w1y0z8ab
         */
        "Request-Id": string;
        /**
         * @description Your own id of the request, repeated from its header `X-Request-Id`: 1 to 128 letters, digits and `_.:/+=@-`. Absent without one.
         * @example checkout-4711
         */
        "X-Request-Id": string;
        /**
         * @description The scheme to authenticate with (RFC 6750), and what is wrong with the key that was sent.
         * @example Bearer realm="Messaging Service"
         */
        "WWW-Authenticate": string;
        /**
         * @description Seconds to wait before repeating the request. With 429: until the next minute, or until the next UTC day or month if that limit was reached.
         * @example 42
         */
        "Retry-After": number;
        /**
         * @description The preference that was honored, `handling=strict` or `handling=lenient`; absent without one.
         * @example handling=strict
         */
        "Preference-Applied": "handling=strict" | "handling=lenient";
        /**
         * @description `true` when this repeats the first response to the Idempotency-Key; absent otherwise.
         * @example true
         */
        "Idempotency-Replayed": "true";
    };
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    sendMessage: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description A key that you choose, such as a UUID. Within 24 hours the same request with the same key is carried out once, and repeats get the first response. The same key with another request is refused with 400.
                 * @example 6f1c2d34-9a70-4b5e-8c21-0d3e4f5a6b7c
                 */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                /**
                 * @description `handling=strict` (RFC 7240) refuses fields and query parameters that the operation does not know, and repeated fields, with 400. Without it they are ignored, and `meta.warnings` names them.
                 * @example handling=strict
                 */
                Prefer?: components["parameters"]["Prefer"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SendMessageRequest"];
            };
        };
        responses: {
            /** @description Created. */
            201: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Request-Id": components["headers"]["Request-Id"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Preference-Applied": components["headers"]["Preference-Applied"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /**
                         * @description Always true.
                         * @constant
                         */
                        success: true;
                        data: components["schemas"]["Message"];
                        meta: components["schemas"]["Meta"];
                    };
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            402: components["responses"]["InsufficientBalance"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    sendBulk: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description A key that you choose, such as a UUID. Within 24 hours the same request with the same key is carried out once, and repeats get the first response. The same key with another request is refused with 400.
                 * @example 6f1c2d34-9a70-4b5e-8c21-0d3e4f5a6b7c
                 */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                /**
                 * @description `handling=strict` (RFC 7240) refuses fields and query parameters that the operation does not know, and repeated fields, with 400. Without it they are ignored, and `meta.warnings` names them.
                 * @example handling=strict
                 */
                Prefer?: components["parameters"]["Prefer"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SendBulkRequest"];
            };
        };
        responses: {
            /** @description Created. */
            201: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Request-Id": components["headers"]["Request-Id"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Preference-Applied": components["headers"]["Preference-Applied"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /**
                         * @description Always true.
                         * @constant
                         */
                        success: true;
                        data: components["schemas"]["BulkResult"];
                        meta: components["schemas"]["Meta"];
                    };
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            402: components["responses"]["InsufficientBalance"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    estimateMessage: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description `handling=strict` (RFC 7240) refuses fields and query parameters that the operation does not know, and repeated fields, with 400. Without it they are ignored, and `meta.warnings` names them.
                 * @example handling=strict
                 */
                Prefer?: components["parameters"]["Prefer"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["EstimateMessageRequest"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Request-Id": components["headers"]["Request-Id"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Preference-Applied": components["headers"]["Preference-Applied"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /**
                         * @description Always true.
                         * @constant
                         */
                        success: true;
                        data: components["schemas"]["Estimate"];
                        meta: components["schemas"]["Meta"];
                    };
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    listMessages: {
        parameters: {
            query?: {
                /** @description Only messages in this status. */
                status?: "pending" | "sent" | "delivered" | "failed" | "undelivered";
                /** @description Only messages to this recipient, E.164; encode its `+` as %2B. */
                to?: string;
                /** @description Only messages from this sender ID, a number as it is registered; encode its `+` as %2B. */
                from?: string;
                /** @description Only messages with exactly this `reference`; empty: with the empty one. */
                reference?: string;
                /** @description Only messages whose metadata has these pairs, each as `metadata[key]=value`. */
                metadata?: {
                    [key: string]: string;
                };
                /** @description Only messages sent with this API key, prefix key_; those sent in the console have none. */
                api_key_id?: string;
                /** @description Only messages created at or after this time, ISO 8601. */
                created_after?: string;
                /** @description Only messages created before this time, ISO 8601. */
                created_before?: string;
                /** @description Page, from 1. */
                page?: number;
                /** @description Items per page, 1 to 100. */
                limit?: number;
                /** @description `meta.next_cursor` of the page before, with the same filters; instead of `page`. */
                cursor?: string;
            };
            header?: {
                /**
                 * @description `handling=strict` (RFC 7240) refuses fields and query parameters that the operation does not know, and repeated fields, with 400. Without it they are ignored, and `meta.warnings` names them.
                 * @example handling=strict
                 */
                Prefer?: components["parameters"]["Prefer"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Request-Id": components["headers"]["Request-Id"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Preference-Applied": components["headers"]["Preference-Applied"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /**
                         * @description Always true.
                         * @constant
                         */
                        success: true;
                        /** @description Items of the page, newest first. */
                        data: components["schemas"]["Message"][];
                        pagination: components["schemas"]["Pagination"];
                        meta: components["schemas"]["Meta"];
                    };
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    cancelMessage: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description `handling=strict` (RFC 7240) refuses fields and query parameters that the operation does not know, and repeated fields, with 400. Without it they are ignored, and `meta.warnings` names them.
                 * @example handling=strict
                 */
                Prefer?: components["parameters"]["Prefer"];
            };
            path: {
                /** @description Message id, prefix msg_. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Request-Id": components["headers"]["Request-Id"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Preference-Applied": components["headers"]["Preference-Applied"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /**
                         * @description Always true.
                         * @constant
                         */
                        success: true;
                        data: components["schemas"]["Message"];
                        meta: components["schemas"]["Meta"];
                    };
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    rescheduleMessage: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description `handling=strict` (RFC 7240) refuses fields and query parameters that the operation does not know, and repeated fields, with 400. Without it they are ignored, and `meta.warnings` names them.
                 * @example handling=strict
                 */
                Prefer?: components["parameters"]["Prefer"];
            };
            path: {
                /** @description Message id, prefix msg_. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RescheduleMessageRequest"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Request-Id": components["headers"]["Request-Id"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Preference-Applied": components["headers"]["Preference-Applied"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /**
                         * @description Always true.
                         * @constant
                         */
                        success: true;
                        data: components["schemas"]["Message"];
                        meta: components["schemas"]["Meta"];
                    };
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    redactMessage: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description `handling=strict` (RFC 7240) refuses fields and query parameters that the operation does not know, and repeated fields, with 400. Without it they are ignored, and `meta.warnings` names them.
                 * @example handling=strict
                 */
                Prefer?: components["parameters"]["Prefer"];
            };
            path: {
                /** @description Message id, prefix msg_. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Request-Id": components["headers"]["Request-Id"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Preference-Applied": components["headers"]["Preference-Applied"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /**
                         * @description Always true.
                         * @constant
                         */
                        success: true;
                        data: components["schemas"]["Message"];
                        meta: components["schemas"]["Meta"];
                    };
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    getMessage: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description `handling=strict` (RFC 7240) refuses fields and query parameters that the operation does not know, and repeated fields, with 400. Without it they are ignored, and `meta.warnings` names them.
                 * @example handling=strict
                 */
                Prefer?: components["parameters"]["Prefer"];
            };
            path: {
                /** @description Message id, prefix msg_. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Request-Id": components["headers"]["Request-Id"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Preference-Applied": components["headers"]["Preference-Applied"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /**
                         * @description Always true.
                         * @constant
                         */
                        success: true;
                        data: components["schemas"]["Message"];
                        meta: components["schemas"]["Meta"];
                    };
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    getMessageTimeline: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description `handling=strict` (RFC 7240) refuses fields and query parameters that the operation does not know, and repeated fields, with 400. Without it they are ignored, and `meta.warnings` names them.
                 * @example handling=strict
                 */
                Prefer?: components["parameters"]["Prefer"];
            };
            path: {
                /** @description Message id, prefix msg_. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Request-Id": components["headers"]["Request-Id"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Preference-Applied": components["headers"]["Preference-Applied"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /**
                         * @description Always true.
                         * @constant
                         */
                        success: true;
                        data: components["schemas"]["Timeline"];
                        meta: components["schemas"]["Meta"];
                    };
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    listInbound: {
        parameters: {
            query?: {
                /** @description Only messages from this number, E.164; encode its `+` as %2B. */
                from?: string;
                /** @description Only messages to this number (E.164; encode its `+` as %2B), short code or name. */
                to?: string;
                /** @description Only messages stored at or after this time, ISO 8601. */
                created_after?: string;
                /** @description Only messages stored before this time, ISO 8601. */
                created_before?: string;
                /** @description Page, from 1. */
                page?: number;
                /** @description Items per page, 1 to 100. */
                limit?: number;
                /** @description `meta.next_cursor` of the page before, with the same filters; instead of `page`. */
                cursor?: string;
            };
            header?: {
                /**
                 * @description `handling=strict` (RFC 7240) refuses fields and query parameters that the operation does not know, and repeated fields, with 400. Without it they are ignored, and `meta.warnings` names them.
                 * @example handling=strict
                 */
                Prefer?: components["parameters"]["Prefer"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Request-Id": components["headers"]["Request-Id"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Preference-Applied": components["headers"]["Preference-Applied"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /**
                         * @description Always true.
                         * @constant
                         */
                        success: true;
                        /** @description Items of the page, newest first. */
                        data: components["schemas"]["InboundMessage"][];
                        pagination: components["schemas"]["Pagination"];
                        meta: components["schemas"]["Meta"];
                    };
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    getInbound: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description `handling=strict` (RFC 7240) refuses fields and query parameters that the operation does not know, and repeated fields, with 400. Without it they are ignored, and `meta.warnings` names them.
                 * @example handling=strict
                 */
                Prefer?: components["parameters"]["Prefer"];
            };
            path: {
                /** @description Inbound message id, prefix inb_. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Request-Id": components["headers"]["Request-Id"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Preference-Applied": components["headers"]["Preference-Applied"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /**
                         * @description Always true.
                         * @constant
                         */
                        success: true;
                        data: components["schemas"]["InboundMessage"];
                        meta: components["schemas"]["Meta"];
                    };
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    getAccount: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description `handling=strict` (RFC 7240) refuses fields and query parameters that the operation does not know, and repeated fields, with 400. Without it they are ignored, and `meta.warnings` names them.
                 * @example handling=strict
                 */
                Prefer?: components["parameters"]["Prefer"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Request-Id": components["headers"]["Request-Id"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Preference-Applied": components["headers"]["Preference-Applied"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /**
                         * @description Always true.
                         * @constant
                         */
                        success: true;
                        data: components["schemas"]["Account"];
                        meta: components["schemas"]["Meta"];
                    };
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    getBalance: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description `handling=strict` (RFC 7240) refuses fields and query parameters that the operation does not know, and repeated fields, with 400. Without it they are ignored, and `meta.warnings` names them.
                 * @example handling=strict
                 */
                Prefer?: components["parameters"]["Prefer"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Request-Id": components["headers"]["Request-Id"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Preference-Applied": components["headers"]["Preference-Applied"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /**
                         * @description Always true.
                         * @constant
                         */
                        success: true;
                        data: components["schemas"]["Balance"];
                        meta: components["schemas"]["Meta"];
                    };
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    getUsage: {
        parameters: {
            query?: {
                /** @description Current UTC day, current UTC month, or all time. */
                period?: "day" | "month" | "all";
            };
            header?: {
                /**
                 * @description `handling=strict` (RFC 7240) refuses fields and query parameters that the operation does not know, and repeated fields, with 400. Without it they are ignored, and `meta.warnings` names them.
                 * @example handling=strict
                 */
                Prefer?: components["parameters"]["Prefer"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Request-Id": components["headers"]["Request-Id"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Preference-Applied": components["headers"]["Preference-Applied"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /**
                         * @description Always true.
                         * @constant
                         */
                        success: true;
                        data: components["schemas"]["Usage"];
                        meta: components["schemas"]["Meta"];
                    };
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    listSenders: {
        parameters: {
            query?: {
                /** @description Only senders in this status. */
                status?: "pending" | "approved" | "rejected" | "suspended";
                /** @description Page, from 1. */
                page?: number;
                /** @description Items per page, 1 to 100. */
                limit?: number;
                /** @description `meta.next_cursor` of the page before, with the same filters; instead of `page`. */
                cursor?: string;
            };
            header?: {
                /**
                 * @description `handling=strict` (RFC 7240) refuses fields and query parameters that the operation does not know, and repeated fields, with 400. Without it they are ignored, and `meta.warnings` names them.
                 * @example handling=strict
                 */
                Prefer?: components["parameters"]["Prefer"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Request-Id": components["headers"]["Request-Id"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Preference-Applied": components["headers"]["Preference-Applied"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /**
                         * @description Always true.
                         * @constant
                         */
                        success: true;
                        /** @description Items of the page, newest first. */
                        data: components["schemas"]["Sender"][];
                        pagination: components["schemas"]["Pagination"];
                        meta: components["schemas"]["Meta"];
                    };
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    createSender: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description A key that you choose, such as a UUID. Within 24 hours the same request with the same key is carried out once, and repeats get the first response. The same key with another request is refused with 400.
                 * @example 6f1c2d34-9a70-4b5e-8c21-0d3e4f5a6b7c
                 */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                /**
                 * @description `handling=strict` (RFC 7240) refuses fields and query parameters that the operation does not know, and repeated fields, with 400. Without it they are ignored, and `meta.warnings` names them.
                 * @example handling=strict
                 */
                Prefer?: components["parameters"]["Prefer"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateSenderRequest"];
            };
        };
        responses: {
            /** @description Created. */
            201: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Request-Id": components["headers"]["Request-Id"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Preference-Applied": components["headers"]["Preference-Applied"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /**
                         * @description Always true.
                         * @constant
                         */
                        success: true;
                        data: components["schemas"]["Sender"];
                        meta: components["schemas"]["Meta"];
                    };
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    getSender: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description `handling=strict` (RFC 7240) refuses fields and query parameters that the operation does not know, and repeated fields, with 400. Without it they are ignored, and `meta.warnings` names them.
                 * @example handling=strict
                 */
                Prefer?: components["parameters"]["Prefer"];
            };
            path: {
                /** @description Sender id, prefix snd_. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Request-Id": components["headers"]["Request-Id"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Preference-Applied": components["headers"]["Preference-Applied"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /**
                         * @description Always true.
                         * @constant
                         */
                        success: true;
                        data: components["schemas"]["Sender"];
                        meta: components["schemas"]["Meta"];
                    };
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    deleteSender: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description `handling=strict` (RFC 7240) refuses fields and query parameters that the operation does not know, and repeated fields, with 400. Without it they are ignored, and `meta.warnings` names them.
                 * @example handling=strict
                 */
                Prefer?: components["parameters"]["Prefer"];
            };
            path: {
                /** @description Sender id, prefix snd_. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Request-Id": components["headers"]["Request-Id"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Preference-Applied": components["headers"]["Preference-Applied"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /**
                         * @description Always true.
                         * @constant
                         */
                        success: true;
                        data: components["schemas"]["Deleted"];
                        meta: components["schemas"]["Meta"];
                    };
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    updateSender: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description `handling=strict` (RFC 7240) refuses fields and query parameters that the operation does not know, and repeated fields, with 400. Without it they are ignored, and `meta.warnings` names them.
                 * @example handling=strict
                 */
                Prefer?: components["parameters"]["Prefer"];
            };
            path: {
                /** @description Sender id, prefix snd_. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["UpdateSenderRequest"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Request-Id": components["headers"]["Request-Id"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Preference-Applied": components["headers"]["Preference-Applied"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /**
                         * @description Always true.
                         * @constant
                         */
                        success: true;
                        data: components["schemas"]["Sender"];
                        meta: components["schemas"]["Meta"];
                    };
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    listSuppressions: {
        parameters: {
            query?: {
                /** @description Only suppressions of this number, E.164; encode its `+` as %2B. */
                number?: string;
                /** @description Only suppressions for this sender ID, exact; encode a `+` as %2B. */
                sender_id?: string;
                /** @description Page, from 1. */
                page?: number;
                /** @description Items per page, 1 to 100. */
                limit?: number;
                /** @description `meta.next_cursor` of the page before, with the same filters; instead of `page`. */
                cursor?: string;
            };
            header?: {
                /**
                 * @description `handling=strict` (RFC 7240) refuses fields and query parameters that the operation does not know, and repeated fields, with 400. Without it they are ignored, and `meta.warnings` names them.
                 * @example handling=strict
                 */
                Prefer?: components["parameters"]["Prefer"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Request-Id": components["headers"]["Request-Id"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Preference-Applied": components["headers"]["Preference-Applied"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /**
                         * @description Always true.
                         * @constant
                         */
                        success: true;
                        /** @description Items of the page, newest first. */
                        data: components["schemas"]["Suppression"][];
                        pagination: components["schemas"]["Pagination"];
                        meta: components["schemas"]["Meta"];
                    };
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    createSuppression: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description A key that you choose, such as a UUID. Within 24 hours the same request with the same key is carried out once, and repeats get the first response. The same key with another request is refused with 400.
                 * @example 6f1c2d34-9a70-4b5e-8c21-0d3e4f5a6b7c
                 */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                /**
                 * @description `handling=strict` (RFC 7240) refuses fields and query parameters that the operation does not know, and repeated fields, with 400. Without it they are ignored, and `meta.warnings` names them.
                 * @example handling=strict
                 */
                Prefer?: components["parameters"]["Prefer"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateSuppressionRequest"];
            };
        };
        responses: {
            /** @description Created. */
            201: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Request-Id": components["headers"]["Request-Id"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Preference-Applied": components["headers"]["Preference-Applied"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /**
                         * @description Always true.
                         * @constant
                         */
                        success: true;
                        data: components["schemas"]["Suppression"];
                        meta: components["schemas"]["Meta"];
                    };
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    importSuppressions: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description `handling=strict` (RFC 7240) refuses fields and query parameters that the operation does not know, and repeated fields, with 400. Without it they are ignored, and `meta.warnings` names them.
                 * @example handling=strict
                 */
                Prefer?: components["parameters"]["Prefer"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ImportSuppressionsRequest"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Request-Id": components["headers"]["Request-Id"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Preference-Applied": components["headers"]["Preference-Applied"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /**
                         * @description Always true.
                         * @constant
                         */
                        success: true;
                        data: components["schemas"]["SuppressionImport"];
                        meta: components["schemas"]["Meta"];
                    };
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    deleteSuppression: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description `handling=strict` (RFC 7240) refuses fields and query parameters that the operation does not know, and repeated fields, with 400. Without it they are ignored, and `meta.warnings` names them.
                 * @example handling=strict
                 */
                Prefer?: components["parameters"]["Prefer"];
            };
            path: {
                /** @description Suppression id, prefix sup_. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Request-Id": components["headers"]["Request-Id"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Preference-Applied": components["headers"]["Preference-Applied"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /**
                         * @description Always true.
                         * @constant
                         */
                        success: true;
                        data: components["schemas"]["Deleted"];
                        meta: components["schemas"]["Meta"];
                    };
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    listApiKeys: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description `handling=strict` (RFC 7240) refuses fields and query parameters that the operation does not know, and repeated fields, with 400. Without it they are ignored, and `meta.warnings` names them.
                 * @example handling=strict
                 */
                Prefer?: components["parameters"]["Prefer"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Request-Id": components["headers"]["Request-Id"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Preference-Applied": components["headers"]["Preference-Applied"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /**
                         * @description Always true.
                         * @constant
                         */
                        success: true;
                        /** @description All of them; this list has no pages. */
                        data: {
                            /**
                             * @description Kind of the object: `list`.
                             * @constant
                             */
                            object: "list";
                            /** @description Every item, newest first. */
                            data: components["schemas"]["ApiKey"][];
                        };
                        meta: components["schemas"]["Meta"];
                    };
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    createApiKey: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description A key that you choose, such as a UUID. Within 24 hours the same request with the same key is carried out once, and repeats get the first response. The same key with another request is refused with 400.
                 * @example 6f1c2d34-9a70-4b5e-8c21-0d3e4f5a6b7c
                 */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                /**
                 * @description `handling=strict` (RFC 7240) refuses fields and query parameters that the operation does not know, and repeated fields, with 400. Without it they are ignored, and `meta.warnings` names them.
                 * @example handling=strict
                 */
                Prefer?: components["parameters"]["Prefer"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateApiKeyRequest"];
            };
        };
        responses: {
            /** @description Created. */
            201: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Request-Id": components["headers"]["Request-Id"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Preference-Applied": components["headers"]["Preference-Applied"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /**
                         * @description Always true.
                         * @constant
                         */
                        success: true;
                        data: components["schemas"]["CreatedApiKey"];
                        meta: components["schemas"]["Meta"];
                    };
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    revokeApiKey: {
        parameters: {
            query?: {
                /** @description True also revokes the keys that were created with this key, and those created with them. */
                cascade?: boolean;
            };
            header?: {
                /**
                 * @description `handling=strict` (RFC 7240) refuses fields and query parameters that the operation does not know, and repeated fields, with 400. Without it they are ignored, and `meta.warnings` names them.
                 * @example handling=strict
                 */
                Prefer?: components["parameters"]["Prefer"];
            };
            path: {
                /** @description Key id, prefix key_. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Request-Id": components["headers"]["Request-Id"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Preference-Applied": components["headers"]["Preference-Applied"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /**
                         * @description Always true.
                         * @constant
                         */
                        success: true;
                        data: components["schemas"]["Deleted"];
                        meta: components["schemas"]["Meta"];
                    };
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    updateApiKey: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description `handling=strict` (RFC 7240) refuses fields and query parameters that the operation does not know, and repeated fields, with 400. Without it they are ignored, and `meta.warnings` names them.
                 * @example handling=strict
                 */
                Prefer?: components["parameters"]["Prefer"];
            };
            path: {
                /** @description Key id, prefix key_. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["UpdateApiKeyRequest"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Request-Id": components["headers"]["Request-Id"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Preference-Applied": components["headers"]["Preference-Applied"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /**
                         * @description Always true.
                         * @constant
                         */
                        success: true;
                        data: components["schemas"]["ApiKey"];
                        meta: components["schemas"]["Meta"];
                    };
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    listWebhooks: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description `handling=strict` (RFC 7240) refuses fields and query parameters that the operation does not know, and repeated fields, with 400. Without it they are ignored, and `meta.warnings` names them.
                 * @example handling=strict
                 */
                Prefer?: components["parameters"]["Prefer"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Request-Id": components["headers"]["Request-Id"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Preference-Applied": components["headers"]["Preference-Applied"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /**
                         * @description Always true.
                         * @constant
                         */
                        success: true;
                        /** @description All of them; this list has no pages. */
                        data: {
                            /**
                             * @description Kind of the object: `list`.
                             * @constant
                             */
                            object: "list";
                            /** @description Every item, newest first. */
                            data: components["schemas"]["WebhookEndpoint"][];
                        };
                        meta: components["schemas"]["Meta"];
                    };
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    createWebhook: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description A key that you choose, such as a UUID. Within 24 hours the same request with the same key is carried out once, and repeats get the first response. The same key with another request is refused with 400.
                 * @example 6f1c2d34-9a70-4b5e-8c21-0d3e4f5a6b7c
                 */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                /**
                 * @description `handling=strict` (RFC 7240) refuses fields and query parameters that the operation does not know, and repeated fields, with 400. Without it they are ignored, and `meta.warnings` names them.
                 * @example handling=strict
                 */
                Prefer?: components["parameters"]["Prefer"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateWebhookRequest"];
            };
        };
        responses: {
            /** @description Created. */
            201: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Request-Id": components["headers"]["Request-Id"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Preference-Applied": components["headers"]["Preference-Applied"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /**
                         * @description Always true.
                         * @constant
                         */
                        success: true;
                        data: components["schemas"]["CreatedWebhookEndpoint"];
                        meta: components["schemas"]["Meta"];
                    };
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    getWebhook: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description `handling=strict` (RFC 7240) refuses fields and query parameters that the operation does not know, and repeated fields, with 400. Without it they are ignored, and `meta.warnings` names them.
                 * @example handling=strict
                 */
                Prefer?: components["parameters"]["Prefer"];
            };
            path: {
                /** @description Endpoint id, prefix whe_. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Request-Id": components["headers"]["Request-Id"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Preference-Applied": components["headers"]["Preference-Applied"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /**
                         * @description Always true.
                         * @constant
                         */
                        success: true;
                        data: components["schemas"]["WebhookEndpoint"];
                        meta: components["schemas"]["Meta"];
                    };
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    deleteWebhook: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description `handling=strict` (RFC 7240) refuses fields and query parameters that the operation does not know, and repeated fields, with 400. Without it they are ignored, and `meta.warnings` names them.
                 * @example handling=strict
                 */
                Prefer?: components["parameters"]["Prefer"];
            };
            path: {
                /** @description Endpoint id, prefix whe_. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Request-Id": components["headers"]["Request-Id"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Preference-Applied": components["headers"]["Preference-Applied"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /**
                         * @description Always true.
                         * @constant
                         */
                        success: true;
                        data: components["schemas"]["Deleted"];
                        meta: components["schemas"]["Meta"];
                    };
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    updateWebhook: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description `handling=strict` (RFC 7240) refuses fields and query parameters that the operation does not know, and repeated fields, with 400. Without it they are ignored, and `meta.warnings` names them.
                 * @example handling=strict
                 */
                Prefer?: components["parameters"]["Prefer"];
            };
            path: {
                /** @description Endpoint id, prefix whe_. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["UpdateWebhookRequest"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Request-Id": components["headers"]["Request-Id"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Preference-Applied": components["headers"]["Preference-Applied"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /**
                         * @description Always true.
                         * @constant
                         */
                        success: true;
                        data: components["schemas"]["WebhookEndpoint"];
                        meta: components["schemas"]["Meta"];
                    };
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    listWebhookDeliveries: {
        parameters: {
            query?: {
                /** @description Only deliveries in this status. */
                status?: "pending" | "delivered" | "abandoned" | "held";
                /** @description Only deliveries of events of this message, prefix msg_ or inb_. */
                message_id?: string;
                /** @description Page, from 1. */
                page?: number;
                /** @description Items per page, 1 to 100. */
                limit?: number;
                /** @description `meta.next_cursor` of the page before, with the same filters; instead of `page`. */
                cursor?: string;
            };
            header?: {
                /**
                 * @description `handling=strict` (RFC 7240) refuses fields and query parameters that the operation does not know, and repeated fields, with 400. Without it they are ignored, and `meta.warnings` names them.
                 * @example handling=strict
                 */
                Prefer?: components["parameters"]["Prefer"];
            };
            path: {
                /** @description Endpoint id, prefix whe_. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Request-Id": components["headers"]["Request-Id"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Preference-Applied": components["headers"]["Preference-Applied"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /**
                         * @description Always true.
                         * @constant
                         */
                        success: true;
                        /** @description Items of the page, newest first. */
                        data: components["schemas"]["WebhookDelivery"][];
                        pagination: components["schemas"]["Pagination"];
                        meta: components["schemas"]["Meta"];
                    };
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    testWebhook: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description `handling=strict` (RFC 7240) refuses fields and query parameters that the operation does not know, and repeated fields, with 400. Without it they are ignored, and `meta.warnings` names them.
                 * @example handling=strict
                 */
                Prefer?: components["parameters"]["Prefer"];
            };
            path: {
                /** @description Endpoint id, prefix whe_. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Request-Id": components["headers"]["Request-Id"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Preference-Applied": components["headers"]["Preference-Applied"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /**
                         * @description Always true.
                         * @constant
                         */
                        success: true;
                        data: components["schemas"]["WebhookTest"];
                        meta: components["schemas"]["Meta"];
                    };
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    rotateWebhookSecret: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description A key that you choose, such as a UUID. Within 24 hours the same request with the same key is carried out once, and repeats get the first response. The same key with another request is refused with 400.
                 * @example 6f1c2d34-9a70-4b5e-8c21-0d3e4f5a6b7c
                 */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                /**
                 * @description `handling=strict` (RFC 7240) refuses fields and query parameters that the operation does not know, and repeated fields, with 400. Without it they are ignored, and `meta.warnings` names them.
                 * @example handling=strict
                 */
                Prefer?: components["parameters"]["Prefer"];
            };
            path: {
                /** @description Endpoint id, prefix whe_. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Request-Id": components["headers"]["Request-Id"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Preference-Applied": components["headers"]["Preference-Applied"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /**
                         * @description Always true.
                         * @constant
                         */
                        success: true;
                        data: components["schemas"]["RotatedWebhookEndpoint"];
                        meta: components["schemas"]["Meta"];
                    };
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    enableWebhook: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description `handling=strict` (RFC 7240) refuses fields and query parameters that the operation does not know, and repeated fields, with 400. Without it they are ignored, and `meta.warnings` names them.
                 * @example handling=strict
                 */
                Prefer?: components["parameters"]["Prefer"];
            };
            path: {
                /** @description Endpoint id, prefix whe_. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Request-Id": components["headers"]["Request-Id"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Preference-Applied": components["headers"]["Preference-Applied"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /**
                         * @description Always true.
                         * @constant
                         */
                        success: true;
                        data: components["schemas"]["WebhookEndpoint"];
                        meta: components["schemas"]["Meta"];
                    };
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    pauseWebhook: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description `handling=strict` (RFC 7240) refuses fields and query parameters that the operation does not know, and repeated fields, with 400. Without it they are ignored, and `meta.warnings` names them.
                 * @example handling=strict
                 */
                Prefer?: components["parameters"]["Prefer"];
            };
            path: {
                /** @description Endpoint id, prefix whe_. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Request-Id": components["headers"]["Request-Id"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Preference-Applied": components["headers"]["Preference-Applied"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /**
                         * @description Always true.
                         * @constant
                         */
                        success: true;
                        data: components["schemas"]["WebhookEndpoint"];
                        meta: components["schemas"]["Meta"];
                    };
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    resumeWebhook: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description `handling=strict` (RFC 7240) refuses fields and query parameters that the operation does not know, and repeated fields, with 400. Without it they are ignored, and `meta.warnings` names them.
                 * @example handling=strict
                 */
                Prefer?: components["parameters"]["Prefer"];
            };
            path: {
                /** @description Endpoint id, prefix whe_. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Request-Id": components["headers"]["Request-Id"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Preference-Applied": components["headers"]["Preference-Applied"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /**
                         * @description Always true.
                         * @constant
                         */
                        success: true;
                        data: components["schemas"]["WebhookEndpoint"];
                        meta: components["schemas"]["Meta"];
                    };
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    recoverWebhook: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description `handling=strict` (RFC 7240) refuses fields and query parameters that the operation does not know, and repeated fields, with 400. Without it they are ignored, and `meta.warnings` names them.
                 * @example handling=strict
                 */
                Prefer?: components["parameters"]["Prefer"];
            };
            path: {
                /** @description Endpoint id, prefix whe_. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RecoverWebhookRequest"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Request-Id": components["headers"]["Request-Id"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Preference-Applied": components["headers"]["Preference-Applied"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /**
                         * @description Always true.
                         * @constant
                         */
                        success: true;
                        data: components["schemas"]["WebhookRecovery"];
                        meta: components["schemas"]["Meta"];
                    };
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    listEvents: {
        parameters: {
            query?: {
                /** @description Only events of this type; omitted: status changes, that is all but `message.received`. */
                type?: "message.sent" | "message.delivered" | "message.failed" | "message.received";
                /** @description Only events of this message, prefix msg_ or inb_. */
                message_id?: string;
                /** @description Only events that happened at or after this time, ISO 8601. */
                created_after?: string;
                /** @description Only events that happened before this time, ISO 8601. */
                created_before?: string;
                /** @description Page, from 1. */
                page?: number;
                /** @description Items per page, 1 to 100. */
                limit?: number;
                /** @description `meta.next_cursor` of the page before, with the same filters; instead of `page`. */
                cursor?: string;
            };
            header?: {
                /**
                 * @description `handling=strict` (RFC 7240) refuses fields and query parameters that the operation does not know, and repeated fields, with 400. Without it they are ignored, and `meta.warnings` names them.
                 * @example handling=strict
                 */
                Prefer?: components["parameters"]["Prefer"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Request-Id": components["headers"]["Request-Id"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Preference-Applied": components["headers"]["Preference-Applied"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /**
                         * @description Always true.
                         * @constant
                         */
                        success: true;
                        /** @description Items of the page, newest first. */
                        data: (components["schemas"]["Event"] | components["schemas"]["ReceivedEvent"])[];
                        pagination: components["schemas"]["Pagination"];
                        meta: components["schemas"]["Meta"];
                    };
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    onMessageSent: {
        parameters: {
            query?: never;
            header: {
                /**
                 * @description `t=<Unix seconds>,v1=<hex>`: HMAC-SHA-256 of `<t>.<raw body>`, keyed with the endpoint's signing secret. Verify it over the bytes received, before parsing, and refuse a `t` more than 300 seconds away. For 24 hours after a rotation of the secret there are two `v1`; one that matches is enough.
                 * @example t=1769860800,v1=5f0c3a7c8a2f4be1d6c9b1f0a4d2e8937b6c5d4e3f2a1b0c9d8e7f6a5b4c3d2e
                 */
                "Service-Signature": string;
                /**
                 * @description The event's id, the same in every try. First of the three headers of the Standard Webhooks specification.
                 * @example evt_01k9x7t4m2e8v5q3r6w1y0z8af
                 */
                "webhook-id": string;
                /**
                 * @description Unix seconds of this try.
                 * @example 1769860800
                 */
                "webhook-timestamp": string;
                /**
                 * @description `v1,<base64>`: HMAC-SHA-256 of `<webhook-id>.<webhook-timestamp>.<raw body>`, keyed with the base64-decoded part of the signing secret after `whsec_`. Several are separated by spaces. For Standard Webhooks libraries.
                 * @example v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=
                 */
                "webhook-signature": string;
                /**
                 * @description `true` for a test event about an invented message; absent otherwise.
                 * @example true
                 */
                "Service-Test"?: string;
                /**
                 * @description Names the service.
                 * @example Messaging-Service/1
                 */
                "User-Agent": string;
            };
            path?: never;
            cookie?: never;
        };
        /** @description The event. It may arrive more than once: deduplicate by `id`. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["Event"] & {
                    /**
                     * @description This event.
                     * @constant
                     */
                    type?: "message.sent";
                };
            };
        };
        responses: {
            /** @description Gone: the endpoint is disabled at once. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Acknowledged. Must arrive within 10 seconds; the body is ignored. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description A failed try; a redirect is one too. It is retried after 30 s, 5 min, 30 min, 2 h and 12 h, or a step later if `Retry-After` of a 429 or 503 asks for it, and abandoned after six tries. 25 consecutive failed tries disable the endpoint. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    onMessageDelivered: {
        parameters: {
            query?: never;
            header: {
                /**
                 * @description `t=<Unix seconds>,v1=<hex>`: HMAC-SHA-256 of `<t>.<raw body>`, keyed with the endpoint's signing secret. Verify it over the bytes received, before parsing, and refuse a `t` more than 300 seconds away. For 24 hours after a rotation of the secret there are two `v1`; one that matches is enough.
                 * @example t=1769860800,v1=5f0c3a7c8a2f4be1d6c9b1f0a4d2e8937b6c5d4e3f2a1b0c9d8e7f6a5b4c3d2e
                 */
                "Service-Signature": string;
                /**
                 * @description The event's id, the same in every try. First of the three headers of the Standard Webhooks specification.
                 * @example evt_01k9x7t4m2e8v5q3r6w1y0z8af
                 */
                "webhook-id": string;
                /**
                 * @description Unix seconds of this try.
                 * @example 1769860800
                 */
                "webhook-timestamp": string;
                /**
                 * @description `v1,<base64>`: HMAC-SHA-256 of `<webhook-id>.<webhook-timestamp>.<raw body>`, keyed with the base64-decoded part of the signing secret after `whsec_`. Several are separated by spaces. For Standard Webhooks libraries.
                 * @example v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=
                 */
                "webhook-signature": string;
                /**
                 * @description `true` for a test event about an invented message; absent otherwise.
                 * @example true
                 */
                "Service-Test"?: string;
                /**
                 * @description Names the service.
                 * @example Messaging-Service/1
                 */
                "User-Agent": string;
            };
            path?: never;
            cookie?: never;
        };
        /** @description The event. It may arrive more than once: deduplicate by `id`. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["Event"] & {
                    /**
                     * @description This event.
                     * @constant
                     */
                    type?: "message.delivered";
                };
            };
        };
        responses: {
            /** @description Gone: the endpoint is disabled at once. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Acknowledged. Must arrive within 10 seconds; the body is ignored. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description A failed try; a redirect is one too. It is retried after 30 s, 5 min, 30 min, 2 h and 12 h, or a step later if `Retry-After` of a 429 or 503 asks for it, and abandoned after six tries. 25 consecutive failed tries disable the endpoint. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    onMessageFailed: {
        parameters: {
            query?: never;
            header: {
                /**
                 * @description `t=<Unix seconds>,v1=<hex>`: HMAC-SHA-256 of `<t>.<raw body>`, keyed with the endpoint's signing secret. Verify it over the bytes received, before parsing, and refuse a `t` more than 300 seconds away. For 24 hours after a rotation of the secret there are two `v1`; one that matches is enough.
                 * @example t=1769860800,v1=5f0c3a7c8a2f4be1d6c9b1f0a4d2e8937b6c5d4e3f2a1b0c9d8e7f6a5b4c3d2e
                 */
                "Service-Signature": string;
                /**
                 * @description The event's id, the same in every try. First of the three headers of the Standard Webhooks specification.
                 * @example evt_01k9x7t4m2e8v5q3r6w1y0z8af
                 */
                "webhook-id": string;
                /**
                 * @description Unix seconds of this try.
                 * @example 1769860800
                 */
                "webhook-timestamp": string;
                /**
                 * @description `v1,<base64>`: HMAC-SHA-256 of `<webhook-id>.<webhook-timestamp>.<raw body>`, keyed with the base64-decoded part of the signing secret after `whsec_`. Several are separated by spaces. For Standard Webhooks libraries.
                 * @example v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=
                 */
                "webhook-signature": string;
                /**
                 * @description `true` for a test event about an invented message; absent otherwise.
                 * @example true
                 */
                "Service-Test"?: string;
                /**
                 * @description Names the service.
                 * @example Messaging-Service/1
                 */
                "User-Agent": string;
            };
            path?: never;
            cookie?: never;
        };
        /** @description The event. It may arrive more than once: deduplicate by `id`. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["Event"] & {
                    /**
                     * @description This event.
                     * @constant
                     */
                    type?: "message.failed";
                };
            };
        };
        responses: {
            /** @description Gone: the endpoint is disabled at once. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Acknowledged. Must arrive within 10 seconds; the body is ignored. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description A failed try; a redirect is one too. It is retried after 30 s, 5 min, 30 min, 2 h and 12 h, or a step later if `Retry-After` of a 429 or 503 asks for it, and abandoned after six tries. 25 consecutive failed tries disable the endpoint. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    onMessageReceived: {
        parameters: {
            query?: never;
            header: {
                /**
                 * @description `t=<Unix seconds>,v1=<hex>`: HMAC-SHA-256 of `<t>.<raw body>`, keyed with the endpoint's signing secret. Verify it over the bytes received, before parsing, and refuse a `t` more than 300 seconds away. For 24 hours after a rotation of the secret there are two `v1`; one that matches is enough.
                 * @example t=1769860800,v1=5f0c3a7c8a2f4be1d6c9b1f0a4d2e8937b6c5d4e3f2a1b0c9d8e7f6a5b4c3d2e
                 */
                "Service-Signature": string;
                /**
                 * @description The event's id, the same in every try. First of the three headers of the Standard Webhooks specification.
                 * @example evt_01k9x7t4m2e8v5q3r6w1y0z8af
                 */
                "webhook-id": string;
                /**
                 * @description Unix seconds of this try.
                 * @example 1769860800
                 */
                "webhook-timestamp": string;
                /**
                 * @description `v1,<base64>`: HMAC-SHA-256 of `<webhook-id>.<webhook-timestamp>.<raw body>`, keyed with the base64-decoded part of the signing secret after `whsec_`. Several are separated by spaces. For Standard Webhooks libraries.
                 * @example v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=
                 */
                "webhook-signature": string;
                /**
                 * @description `true` for a test event about an invented message; absent otherwise.
                 * @example true
                 */
                "Service-Test"?: string;
                /**
                 * @description Names the service.
                 * @example Messaging-Service/1
                 */
                "User-Agent": string;
            };
            path?: never;
            cookie?: never;
        };
        /** @description The event. It may arrive more than once: deduplicate by `id`. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["ReceivedEvent"] & {
                    /**
                     * @description This event.
                     * @constant
                     */
                    type?: "message.received";
                };
            };
        };
        responses: {
            /** @description Gone: the endpoint is disabled at once. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Acknowledged. Must arrive within 10 seconds; the body is ignored. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description A failed try; a redirect is one too. It is retried after 30 s, 5 min, 30 min, 2 h and 12 h, or a step later if `Retry-After` of a 429 or 503 asks for it, and abandoned after six tries. 25 consecutive failed tries disable the endpoint. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
}
