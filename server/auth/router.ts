import { publicProcedure, router, sessionProcedure } from "../core/trpc";
import { SignedUp, SignUpInput, SignUpState, Viewer } from "./schema";
import { getSignUpState, getViewer, signUp } from "./service";

export const authRouter = router({
  signUpState: publicProcedure.output(SignUpState).query(() => getSignUpState()),
  signUp: publicProcedure
    .input(SignUpInput)
    .output(SignedUp)
    .mutation(({ ctx, input }) => signUp(input, ctx.address)),
  viewer: sessionProcedure.output(Viewer).query(({ ctx }) => getViewer(ctx.actor)),
});
