import { operatorProcedure, router } from "../core/trpc";
import { pageOf } from "../core/wire";
import {
  CreditAccountInput,
  DecideSenderInput,
  ListAccountsQuery,
  ListReviewsQuery,
  OperatedAccount,
  ReviewedSender,
} from "./schema";
import { creditAccount, decideSender, listAccounts, listReviews } from "./service";

export const operatorRouter = router({
  senders: operatorProcedure
    .input(ListReviewsQuery)
    .output(pageOf(ReviewedSender))
    .query(({ ctx, input }) => listReviews(ctx.actor, input)),
  decideSender: operatorProcedure
    .input(DecideSenderInput)
    .output(ReviewedSender)
    .mutation(({ ctx, input }) => decideSender(ctx.actor, input)),
  accounts: operatorProcedure
    .input(ListAccountsQuery)
    .output(pageOf(OperatedAccount))
    .query(({ ctx, input }) => listAccounts(ctx.actor, input)),
  credit: operatorProcedure
    .input(CreditAccountInput)
    .output(OperatedAccount)
    .mutation(({ ctx, input }) => creditAccount(ctx.actor, input)),
});
