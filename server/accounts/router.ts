import { actingOwnerProcedure, ownerProcedure, router, scoped, sessionProcedure } from "../core/trpc";
import { updateProfile } from "./profile";
import {
  Account,
  Balance,
  CountriesInput,
  DailySpendCapInput,
  ProfileInput,
  QuietHoursInput,
  TextRetentionInput,
  Usage,
  UsageQuery,
  UsageSeries,
  UsageSeriesQuery,
} from "./schema";
import { getAccount, getBalance, getUsage, getUsageSeries } from "./service";
import { setQuietHours } from "./set-quiet-hours";
import { setCountries, setDailySpendCap } from "./set-sending-limits";
import { setTextRetention } from "./set-text-retention";

export const accountsRouter = router({
  get: scoped(null)
    .meta({
      openapi: {
        method: "GET",
        path: "/account",
        operationId: "getAccount",
        tags: ["Account"],
        summary: "Get the account",
        description: "The account of the key, with its status and balance.",
      },
    })
    .output(Account)
    .query(({ ctx }) => getAccount(ctx.actor)),
  balance: scoped("balance:read")
    .meta({
      openapi: {
        method: "GET",
        path: "/balance",
        operationId: "getBalance",
        tags: ["Account"],
        summary: "Get the balance",
        description: "The available balance. The cost of a message is deducted when the message is accepted.",
      },
    })
    .output(Balance)
    .query(({ ctx }) => getBalance(ctx.actor)),
  usage: scoped("balance:read")
    .meta({
      openapi: {
        method: "GET",
        path: "/usage",
        operationId: "getUsage",
        tags: ["Account"],
        summary: "Get the usage of a period",
        description:
          "Messages accepted in the current UTC day or month, or since the account was opened, and their cost.",
      },
    })
    .input(UsageQuery)
    .output(Usage)
    .query(({ ctx, input }) => getUsage(ctx.actor, input)),
  updateProfile: ownerProcedure
    .input(ProfileInput)
    .output(Account)
    .mutation(({ ctx, input }) => updateProfile(ctx.actor, input)),
  setQuietHours: sessionProcedure
    .input(QuietHoursInput)
    .output(Account)
    .mutation(({ ctx, input }) => setQuietHours(ctx.actor, input)),
  setCountries: actingOwnerProcedure
    .input(CountriesInput)
    .output(Account)
    .mutation(({ ctx, input }) => setCountries(ctx.actor, input)),
  setDailySpendCap: actingOwnerProcedure
    .input(DailySpendCapInput)
    .output(Account)
    .mutation(({ ctx, input }) => setDailySpendCap(ctx.actor, input)),
  setTextRetention: actingOwnerProcedure
    .input(TextRetentionInput)
    .output(Account)
    .mutation(({ ctx, input }) => setTextRetention(ctx.actor, input)),
  usageSeries: sessionProcedure
    .input(UsageSeriesQuery)
    .output(UsageSeries)
    .query(({ ctx, input }) => getUsageSeries(ctx.actor, input)),
});
