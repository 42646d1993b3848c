import { router, scoped, sessionProcedure } from "../core/trpc";
import { Account, Balance, Usage, UsageQuery, UsageSeries, UsageSeriesQuery } from "./schema";
import { getAccount, getBalance, getUsage, getUsageSeries } from "./service";

export const accountsRouter = router({
  get: scoped(null)
    .meta({ openapi: { method: "GET", path: "/account", tags: ["Account"], summary: "Get the account" } })
    .output(Account)
    .query(({ ctx }) => getAccount(ctx.actor)),
  balance: scoped("balance:read")
    .meta({ openapi: { method: "GET", path: "/balance", tags: ["Account"], summary: "Get the balance" } })
    .output(Balance)
    .query(({ ctx }) => getBalance(ctx.actor)),
  usage: scoped("balance:read")
    .meta({ openapi: { method: "GET", path: "/usage", tags: ["Account"], summary: "Get usage of a period" } })
    .input(UsageQuery)
    .output(Usage)
    .query(({ ctx, input }) => getUsage(ctx.actor, input)),
  usageSeries: sessionProcedure
    .input(UsageSeriesQuery)
    .output(UsageSeries)
    .query(({ ctx, input }) => getUsageSeries(ctx.actor, input)),
});
