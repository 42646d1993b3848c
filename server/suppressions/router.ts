import { router, scoped } from "../core/trpc";
import { Deleted } from "../core/wire";
import { listPageOf } from "../lists/schema";
import { ImportResult, ImportSuppressionsInput } from "./import-schema";
import { CreateSuppressionInput, ListSuppressionsQuery, Suppression, SuppressionPath } from "./schema";
import { createSuppression, deleteSuppression, importSuppressions, listSuppressions } from "./service";

export const suppressionsRouter = router({
  list: scoped("sms:read")
    .meta({
      openapi: {
        method: "GET",
        path: "/suppressions",
        operationId: "listSuppressions",
        tags: ["Suppressions"],
        summary: "List suppressions",
        description: "Numbers that get no messages from the account, newest first.",
      },
    })
    .input(ListSuppressionsQuery)
    .output(listPageOf(Suppression))
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
          "From now on messages to the number fail at once with `blocklisted`, free of charge. If you suppressed the " +
          "number before, the response contains that suppression; a recipient's STOP is a separate one.",
      },
    })
    .input(CreateSuppressionInput)
    .output(Suppression)
    .mutation(({ ctx, input }) => createSuppression(ctx.actor, input, ctx)),
  import: scoped("senders:write")
    .meta({
      creates: false,
      repeatable: true,
      openapi: {
        method: "POST",
        path: "/suppressions/import",
        operationId: "importSuppressions",
        tags: ["Suppressions"],
        summary: "Suppress a list of numbers",
        description:
          "Suppresses up to 10,000 numbers for one sender ID, or for all. Entries that are not phone numbers are refused alone: check " +
          "`refused` and `refusals`. Numbers that you suppressed before stay as they are, so a call without a response can simply " +
          "be repeated. At most 60 calls per minute and account; then 429 `import_limit`.",
      },
    })
    .input(ImportSuppressionsInput)
    .output(ImportResult)
    .mutation(({ ctx, input }) => importSuppressions(ctx.actor, input)),
  delete: scoped("senders:write")
    .meta({
      openapi: {
        method: "DELETE",
        path: "/suppressions/{id}",
        operationId: "deleteSuppression",
        tags: ["Suppressions"],
        summary: "Delete a suppression",
        description:
          "Messages to the number are sent again, unless another suppression applies. After a STOP, get the recipient's " +
          "consent first: the law of many countries requires it.",
      },
    })
    .input(SuppressionPath)
    .output(Deleted)
    .mutation(({ ctx, input }) => deleteSuppression(ctx.actor, input.id)),
});
