import { router, sessionProcedure } from "../core/trpc";
import { watchChanges } from "./service";

/** Console only. */
export const liveRouter = router({
  changes: sessionProcedure.subscription(({ ctx, signal }) => watchChanges(ctx.actor, signal)),
});
