import { operatorProcedure, router } from "../core/trpc";
import { pageOf } from "../core/wire";
import { getOperatedAccount, listLedger, listOperatedMessages } from "./account";
import {
  Ledger,
  LedgerQuery,
  OperatedAccountDetail,
  OperatedAccountPath,
  OperatedMessage,
  OperatedMessagesQuery,
} from "./account-schema";
import { getHome } from "./home";
import { OperatorHome } from "./home-schema";
import { inviteOwner, makeAccount } from "./new-account";
import {
  AccountStatusInput,
  CreditAccountInput,
  DecideSenderInput,
  InviteOwnerInput,
  LimitAccountInput,
  ListAccountsQuery,
  ListedAccount,
  ListReviewsQuery,
  ListSuppressionsQuery,
  MadeAccount,
  NewAccountInput,
  OperatedAccount,
  OperatedSuppression,
  OwnerInvitation,
  ReviewedSender,
  ThrottleSenderInput,
} from "./schema";
import {
  creditAccount,
  decideSender,
  limitAccount,
  listAccounts,
  listReviews,
  setAccountStatus,
  throttleSender,
} from "./service";
import { listSuppressions } from "./suppressions";

export const operatorRouter = router({
  home: operatorProcedure.output(OperatorHome).query(({ ctx }) => getHome(ctx.actor)),
  senders: operatorProcedure
    .input(ListReviewsQuery)
    .output(pageOf(ReviewedSender))
    .query(({ ctx, input }) => listReviews(ctx.actor, input)),
  decideSender: operatorProcedure
    .input(DecideSenderInput)
    .output(ReviewedSender)
    .mutation(({ ctx, input }) => decideSender(ctx.actor, input)),
  throttleSender: operatorProcedure
    .input(ThrottleSenderInput)
    .output(ReviewedSender)
    .mutation(({ ctx, input }) => throttleSender(ctx.actor, input)),
  accounts: operatorProcedure
    .input(ListAccountsQuery)
    .output(pageOf(ListedAccount))
    .query(({ ctx, input }) => listAccounts(ctx.actor, input)),
  createAccount: operatorProcedure
    .input(NewAccountInput)
    .output(MadeAccount)
    .mutation(({ ctx, input }) => makeAccount(ctx.actor, input, ctx)),
  inviteOwner: operatorProcedure
    .input(InviteOwnerInput)
    .output(OwnerInvitation)
    .mutation(({ ctx, input }) => inviteOwner(ctx.actor, input)),
  account: operatorProcedure
    .input(OperatedAccountPath)
    .output(OperatedAccountDetail)
    .query(({ ctx, input }) => getOperatedAccount(ctx.actor, input)),
  ledger: operatorProcedure
    .input(LedgerQuery)
    .output(Ledger)
    .query(({ ctx, input }) => listLedger(ctx.actor, input)),
  messages: operatorProcedure
    .input(OperatedMessagesQuery)
    .output(pageOf(OperatedMessage))
    .query(({ ctx, input }) => listOperatedMessages(ctx.actor, input)),
  credit: operatorProcedure
    .input(CreditAccountInput)
    .output(OperatedAccount)
    .mutation(({ ctx, input }) => creditAccount(ctx.actor, input, ctx)),
  setAccountStatus: operatorProcedure
    .input(AccountStatusInput)
    .output(OperatedAccount)
    .mutation(({ ctx, input }) => setAccountStatus(ctx.actor, input)),
  limitAccount: operatorProcedure
    .input(LimitAccountInput)
    .output(OperatedAccount)
    .mutation(({ ctx, input }) => limitAccount(ctx.actor, input)),
  suppressions: operatorProcedure
    .input(ListSuppressionsQuery)
    .output(pageOf(OperatedSuppression))
    .query(({ ctx, input }) => listSuppressions(ctx.actor, input)),
});
