import { accountsRouter } from "../accounts/router";
import { apiKeysRouter } from "../api-keys/router";
import { auditRouter } from "../audit/router";
import { authRouter } from "../auth/router";
import { mergeRouters, router } from "../core/trpc";
import { inboundRouter } from "../inbound/router";
import { membersRouter } from "../members/router";
import { messagesRouter } from "../messages/router";
import { operatorRouter } from "../operator/router";
import { overviewRouter } from "../overview/router";
import { providersRouter } from "../providers/router";
import { routingRouter } from "../routing/router";
import { searchRouter } from "../search/router";
import { sendersRouter } from "../senders/router";
import { suppressionsRouter } from "../suppressions/router";
import { webhooksRouter } from "../webhooks/router";

/** All operations of the console and the REST API. Procedures with `openapi` meta are the REST API. */
export const appRouter = router({
  accounts: accountsRouter,
  apiKeys: apiKeysRouter,
  audit: auditRouter,
  auth: authRouter,
  inbound: inboundRouter,
  members: membersRouter,
  messages: messagesRouter,
  operator: mergeRouters(operatorRouter, router({ providers: providersRouter, routes: routingRouter })),
  overview: overviewRouter,
  search: searchRouter,
  senders: sendersRouter,
  suppressions: suppressionsRouter,
  webhooks: webhooksRouter,
});

export type AppRouter = typeof appRouter;
