import { accountsRouter } from "../accounts/router";
import { apiKeysRouter } from "../api-keys/router";
import { authRouter } from "../auth/router";
import { router } from "../core/trpc";
import { messagesRouter } from "../messages/router";
import { operatorRouter } from "../operator/router";
import { sendersRouter } from "../senders/router";
import { webhooksRouter } from "../webhooks/router";

/** Everything that the console and the REST API can do. Procedures with `openapi` meta are the REST API. */
export const appRouter = router({
  accounts: accountsRouter,
  apiKeys: apiKeysRouter,
  auth: authRouter,
  messages: messagesRouter,
  operator: operatorRouter,
  senders: sendersRouter,
  webhooks: webhooksRouter,
});

export type AppRouter = typeof appRouter;
