import { z } from "zod";
import { ownProcedure, publicProcedure, router } from "../core/trpc";
import { changePassword, confirmPassword, resetPassword } from "./credentials/change-password";
import { requestReset } from "./credentials/reset-by-mail";
import {
  beginSecondFactor,
  confirmSecondFactor,
  disableSecondFactor,
  getSecondFactor,
  regenerateRecoveryCodes,
} from "./credentials/second-factor";
import {
  AddPasskeyInput,
  BeginPasskeySignInInput,
  PasskeyCreation,
  PasskeyRequest,
  Passkeys,
  RenamePasskeyInput,
} from "./passkey-schema";
import {
  addPasskey,
  beginPasskey,
  beginPasskeyProof,
  listPasskeys,
  removePasskey,
  renamePasskey,
} from "./passkeys/passkeys";
import {
  ChangePasswordInput,
  Confirmed,
  ConfirmPasswordInput,
  ConfirmSecondFactorInput,
  PasskeyAdded,
  RemovePasskeyInput,
  RenameInput,
  RequestResetInput,
  ResetPasswordInput,
  ResetRequested,
  SecondFactor,
  SecondFactorEnrollment,
  SecondFactorProof,
  SecondFactorRecovery,
  Session,
  SessionPath,
  SessionsRevoked,
  SignedUp,
  SignUpInput,
  SignUpState,
  Viewer,
} from "./schema";
import { getSignUpState, getViewer, rename, signUp } from "./service";
import { listSessions, revokeOtherSessions, revokeSession } from "./sessions/sessions";
import { beginPasskeySignIn } from "./sign-in/passkey-sign-in";

export const authRouter = router({
  signUpState: publicProcedure.output(SignUpState).query(() => getSignUpState()),
  signUp: publicProcedure
    .input(SignUpInput)
    .output(SignedUp)
    .mutation(({ ctx, input }) => signUp(input, ctx.address, ctx.userAgent)),
  viewer: ownProcedure.output(Viewer).query(({ ctx }) => getViewer(ctx.actor)),
  rename: ownProcedure
    .input(RenameInput)
    .output(Viewer)
    .mutation(({ ctx, input }) => rename(ctx.actor, input)),
  changePassword: ownProcedure
    .input(ChangePasswordInput)
    .output(SessionsRevoked)
    .mutation(({ ctx, input }) => changePassword(ctx.actor, input, ctx.address)),
  confirmPassword: ownProcedure
    .input(ConfirmPasswordInput)
    .output(Confirmed)
    .mutation(({ ctx, input }) => confirmPassword(ctx.actor, input, ctx.address)),
  requestReset: publicProcedure
    .input(RequestResetInput)
    .output(ResetRequested)
    .mutation(({ ctx, input }) => requestReset(input, ctx.address)),
  resetPassword: publicProcedure
    .input(ResetPasswordInput)
    .output(SessionsRevoked)
    .mutation(({ ctx, input }) => resetPassword(input, { address: ctx.address, userAgent: ctx.userAgent ?? "" })),
  secondFactor: router({
    get: ownProcedure.output(SecondFactor).query(({ ctx }) => getSecondFactor(ctx.actor)),
    begin: ownProcedure.output(SecondFactorEnrollment).mutation(({ ctx }) => beginSecondFactor(ctx.actor)),
    confirm: ownProcedure
      .input(ConfirmSecondFactorInput)
      .output(SecondFactorRecovery)
      .mutation(({ ctx, input }) => confirmSecondFactor(ctx.actor, input)),
    disable: ownProcedure
      .input(SecondFactorProof)
      .output(SecondFactor)
      .mutation(({ ctx, input }) => disableSecondFactor(ctx.actor, input, ctx.address)),
    regenerateRecoveryCodes: ownProcedure
      .input(SecondFactorProof)
      .output(SecondFactorRecovery)
      .mutation(({ ctx, input }) => regenerateRecoveryCodes(ctx.actor, input, ctx.address)),
  }),
  passkeys: router({
    list: ownProcedure.output(Passkeys).query(({ ctx }) => listPasskeys(ctx.actor)),
    beginAdd: ownProcedure.output(PasskeyCreation).mutation(({ ctx }) => beginPasskey(ctx.actor)),
    add: ownProcedure
      .input(AddPasskeyInput)
      .output(PasskeyAdded)
      .mutation(({ ctx, input }) => addPasskey(ctx.actor, input)),
    rename: ownProcedure
      .input(RenamePasskeyInput)
      .output(Passkeys)
      .mutation(({ ctx, input }) => renamePasskey(ctx.actor, input)),
    remove: ownProcedure
      .input(RemovePasskeyInput)
      .output(Passkeys)
      .mutation(({ ctx, input }) => removePasskey(ctx.actor, input, ctx.address)),
    beginProof: ownProcedure.output(PasskeyRequest).mutation(({ ctx }) => beginPasskeyProof(ctx.actor)),
    beginSignIn: publicProcedure
      .input(BeginPasskeySignInInput)
      .output(PasskeyRequest)
      .mutation(({ ctx, input }) => beginPasskeySignIn(input, ctx.address)),
  }),
  sessions: router({
    list: ownProcedure.output(z.array(Session)).query(({ ctx }) => listSessions(ctx.actor)),
    revoke: ownProcedure
      .input(SessionPath)
      .output(SessionsRevoked)
      .mutation(({ ctx, input }) => revokeSession(ctx.actor, input)),
    revokeOthers: ownProcedure.output(SessionsRevoked).mutation(({ ctx }) => revokeOtherSessions(ctx.actor)),
  }),
});
