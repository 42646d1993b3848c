import { ownerProcedure, router } from "../core/trpc";
import { pageOf } from "../core/wire";
import { Alert, AlertSettings, ListAlertsQuery, UpdateAlertsInput, UpdatedAlertSettings } from "./schema";
import { getAlertSettings, listAlerts, updateAlertSettings } from "./service";

/** Console only. */
export const alertsRouter = router({
  get: ownerProcedure.output(AlertSettings).query(({ ctx }) => getAlertSettings(ctx.actor)),
  list: ownerProcedure
    .input(ListAlertsQuery)
    .output(pageOf(Alert))
    .query(({ ctx, input }) => listAlerts(ctx.actor, input)),
  update: ownerProcedure
    .input(UpdateAlertsInput)
    .output(UpdatedAlertSettings)
    .mutation(({ ctx, input }) => updateAlertSettings(ctx.actor, input)),
});
