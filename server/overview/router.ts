import { router, sessionProcedure } from "../core/trpc";
import { usageOfKey } from "./key-usage";
import { Breakdown, Comparison, Concerns, KeyUsage, KeyUsageQuery, OverviewQuery, SentCountries } from "./schema";
import { breakDown, compareDays, listConcerns, listSentCountries } from "./service";

export const overviewRouter = router({
  comparison: sessionProcedure
    .input(OverviewQuery)
    .output(Comparison)
    .query(({ ctx, input }) => compareDays(ctx.actor, input)),
  breakdown: sessionProcedure
    .input(OverviewQuery)
    .output(Breakdown)
    .query(({ ctx, input }) => breakDown(ctx.actor, input)),
  keyUsage: sessionProcedure
    .input(KeyUsageQuery)
    .output(KeyUsage)
    .query(({ ctx, input }) => usageOfKey(ctx.actor, input)),
  sentCountries: sessionProcedure.output(SentCountries).query(({ ctx }) => listSentCountries(ctx.actor)),
  concerns: sessionProcedure.output(Concerns).query(({ ctx }) => listConcerns(ctx.actor)),
});
