import { z } from "zod";
import { liveSessionProcedure, ownerProcedure, ownProcedure, publicProcedure, router } from "../core/trpc";
import { acceptInvitation, getInvitation } from "./accept-invitation";
import { invite, listInvitations, withdrawInvitation } from "./invitations";
import {
  AcceptedInvitation,
  AcceptInvitationInput,
  ChangeRoleInput,
  CreatedInvitation,
  Invitation,
  InvitationToken,
  InviteInput,
  Left,
  Member,
  MemberPath,
  Membership,
  OpenInvitation,
  SwitchAccountInput,
} from "./schema";
import { changeRole, leave, listMembers, removeMember } from "./service";
import { listMemberships, switchAccount } from "./sessions";

const Gone = z.object({ id: z.string(), deleted: z.literal(true) });

/** Console only. */
export const membersRouter = router({
  list: liveSessionProcedure.output(z.array(Member)).query(({ ctx }) => listMembers(ctx.actor)),
  changeRole: ownerProcedure
    .input(ChangeRoleInput)
    .output(Member)
    .mutation(({ ctx, input }) => changeRole(ctx.actor, input)),
  remove: ownerProcedure
    .input(MemberPath)
    .output(Gone)
    .mutation(({ ctx, input }) => removeMember(ctx.actor, input)),
  leave: ownProcedure.output(Left).mutation(({ ctx }) => leave(ctx.actor)),
  memberships: ownProcedure.output(z.array(Membership)).query(({ ctx }) => listMemberships(ctx.actor)),
  switchAccount: ownProcedure
    .input(SwitchAccountInput)
    .output(Membership)
    .mutation(({ ctx, input }) => switchAccount(ctx.actor, input)),
  invitations: router({
    list: ownerProcedure.output(z.array(Invitation)).query(({ ctx }) => listInvitations(ctx.actor)),
    create: ownerProcedure
      .input(InviteInput)
      .output(CreatedInvitation)
      .mutation(({ ctx, input }) => invite(ctx.actor, input)),
    withdraw: ownerProcedure
      .input(MemberPath)
      .output(Gone)
      .mutation(({ ctx, input }) => withdrawInvitation(ctx.actor, input)),
    get: publicProcedure
      .input(InvitationToken)
      .output(OpenInvitation)
      .query(({ input }) => getInvitation(input)),
    accept: publicProcedure
      .input(AcceptInvitationInput)
      .output(AcceptedInvitation)
      .mutation(({ ctx, input }) => acceptInvitation(input, { address: ctx.address, userAgent: ctx.userAgent ?? "" })),
  }),
});
