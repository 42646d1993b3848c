import { router, scoped } from "../core/trpc";
import { Deleted, pageOf } from "../core/wire";
import { CreateSuppressionInput, ListSuppressionsQuery, Suppression, SuppressionPath } from "./schema";
import { createSuppression, deleteSuppression, listSuppressions } from "./service";

export const suppressionsRouter = router({
  list: scoped("sms:read")
    .meta({
      openapi: {
        method: "GET",
        path: "/suppressions",
        operationId: "listSuppressions",
        tags: ["Suppressions"],
        summary: "List suppressions",
        description: "The numbers that get no messages from the account, newest first.",
      },
    })
    .input(ListSuppressionsQuery)
    .output(pageOf(Suppression))
    .query(({ ctx, input }) => listSuppressions(ctx.actor, input)),
  create: scoped("senders:write")
    .meta({
      openapi: {
        method: "POST",
        path: "/suppressions",
        operationId: "createSuppression",
        tags: ["Suppressions"],
        summary: "Suppress a number",
        description:
          "From now on messages to the number fail at once with `blocklisted`, free of charge. A number that you " +
          "suppressed already is answered with the suppression that there is; a person's own STOP is another one.",
      },
    })
    .input(CreateSuppressionInput)
    .output(Suppression)
    .mutation(({ ctx, input }) => createSuppression(ctx.actor, input, ctx)),
  delete: scoped("senders:write")
    .meta({
      openapi: {
        method: "DELETE",
        path: "/suppressions/{id}",
        operationId: "deleteSuppression",
        tags: ["Suppressions"],
        summary: "Delete a suppression",
        description:
          "The number may be sent to again, unless another suppression holds it. Where the person said STOP, have their " +
          "consent: the law of many countries asks for it.",
      },
    })
    .input(SuppressionPath)
    .output(Deleted)
    .mutation(({ ctx, input }) => deleteSuppression(ctx.actor, input.id)),
});
