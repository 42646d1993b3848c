import { z } from "zod";
import { publicProcedure, router, sessionProcedure } from "../core/trpc";
import { Session, SessionPath, SessionsRevoked, SignedUp, SignUpInput, SignUpState, Viewer } from "./schema";
import { getSignUpState, getViewer, signUp } from "./service";
import { listSessions, revokeOtherSessions, revokeSession } from "./sessions";

export const authRouter = router({
  signUpState: publicProcedure.output(SignUpState).query(() => getSignUpState()),
  signUp: publicProcedure
    .input(SignUpInput)
    .output(SignedUp)
    .mutation(({ ctx, input }) => signUp(input, ctx.address)),
  viewer: sessionProcedure.output(Viewer).query(({ ctx }) => getViewer(ctx.actor)),
  sessions: router({
    list: sessionProcedure.output(z.array(Session)).query(({ ctx }) => listSessions(ctx.actor)),
    revoke: sessionProcedure
      .input(SessionPath)
      .output(SessionsRevoked)
      .mutation(({ ctx, input }) => revokeSession(ctx.actor, input)),
    revokeOthers: sessionProcedure.output(SessionsRevoked).mutation(({ ctx }) => revokeOtherSessions(ctx.actor)),
  }),
});
