import { router, sessionProcedure } from "../core/trpc";
import { Breakdown, Comparison, Concerns, OverviewQuery } from "./schema";
import { breakDown, compareDays, listConcerns } from "./service";

export const overviewRouter = router({
  comparison: sessionProcedure
    .input(OverviewQuery)
    .output(Comparison)
    .query(({ ctx, input }) => compareDays(ctx.actor, input)),
  breakdown: sessionProcedure
    .input(OverviewQuery)
    .output(Breakdown)
    .query(({ ctx, input }) => breakDown(ctx.actor, input)),
  concerns: sessionProcedure.output(Concerns).query(({ ctx }) => listConcerns(ctx.actor)),
});
