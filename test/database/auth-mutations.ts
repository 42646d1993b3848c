/** Mutations of the person's own sign-in, for the test that each is in the audit log. */
import { issuePasswordReset } from "@/server/auth/credentials/change-password";
import { startSession } from "@/server/auth/sessions/sessions";
import { newId } from "@/server/core/ids";
import { callAs, TEST_ORIGIN } from "../call-procedure";
import { addPasskey, enrol, PASSWORD, type Person } from "./people";

export const NEW_PASSWORD = "another battery staple altogether";

/** Prepares and calls the mutation. @returns its response. */
type Run = (owner: Person, operator: Person) => Promise<unknown>;

/** By the mutation: the action that it records, and how it is done. */
export type MutationCases = Readonly<Record<string, [action: string, run: Run]>>;

export const AUTH_MUTATIONS: MutationCases = {
  "auth.changePassword": [
    "password.changed",
    (owner) => callAs(owner, "auth.changePassword", { current_password: PASSWORD, new_password: NEW_PASSWORD }),
  ],
  "auth.passkeys.add": ["passkey.added", addPasskey],
  "auth.passkeys.remove": [
    "passkey.removed",
    async (owner) => {
      const { passkey, recovery } = await addPasskey(owner);
      const [code] = recovery?.recovery_codes ?? [];
      return callAs(owner, "auth.passkeys.remove", { id: passkey.id, password: PASSWORD, code });
    },
  ],
  "auth.passkeys.rename": [
    "passkey.renamed",
    async (owner) => callAs(owner, "auth.passkeys.rename", { id: (await addPasskey(owner)).passkey.id, name: "Key" }),
  ],
  "auth.rename": ["person.renamed", (owner) => callAs(owner, "auth.rename", { name: "Anna" })],
  "auth.resetPassword": [
    "password.reset",
    async (owner) => {
      const { token } = await issuePasswordReset({ kind: "system", name: "admin" }, owner.email);
      return callAs(null, "auth.resetPassword", { token, password: NEW_PASSWORD });
    },
  ],
  "auth.secondFactor.confirm": ["second_factor.enabled", enrol],
  "auth.secondFactor.disable": [
    "second_factor.disabled",
    async (owner) => {
      const [code] = await enrol(owner);
      return callAs(owner, "auth.secondFactor.disable", { password: PASSWORD, code });
    },
  ],
  "auth.secondFactor.regenerateRecoveryCodes": [
    "second_factor.recovery_codes_regenerated",
    async (owner) => {
      const [code] = await enrol(owner);
      return callAs(owner, "auth.secondFactor.regenerateRecoveryCodes", { password: PASSWORD, code });
    },
  ],
  "auth.sessions.revoke": [
    "session.revoked",
    async (owner) => callAs(owner, "auth.sessions.revoke", { id: await startSession(owner.userId, TEST_ORIGIN) }),
  ],
  "auth.sessions.revokeOthers": [
    "session.revoked",
    async (owner) => {
      await startSession(owner.userId, TEST_ORIGIN);
      return callAs(owner, "auth.sessions.revokeOthers", undefined);
    },
  ],
  "auth.signUp": [
    "account.created",
    () => callAs(null, "auth.signUp", { email: `${newId("user")}@audit.example`, password: NEW_PASSWORD, name: "New" }),
  ],
};
