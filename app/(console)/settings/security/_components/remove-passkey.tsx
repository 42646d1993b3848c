"use client";

import { securityTexts as texts } from "@/app/_texts/settings/security";
import { trpc } from "@/app/_trpc/client";
import { useChange } from "@/app/_ui/changes/use-change";
import { toastDone } from "@/app/_ui/toast";
import type { Passkey } from "@/server/auth/passkey-schema";
import type { SecondFactorProof } from "@/server/auth/schema";
import { SecondFactorProofForm } from "./second-factor-proof";

/** Asks for the password and a second factor, and removes a passkey. */
export function RemovePasskey({ passkey: { id, name }, onDone }: { passkey: Passkey; onDone: () => void }) {
  const utils = trpc.useUtils();
  const remove = useChange((proof: SecondFactorProof) => utils.client.auth.passkeys.remove.mutate({ ...proof, id }), {
    look: async () => {
      const found = await utils.client.auth.passkeys.list.query();
      return found.passkeys.some((each) => each.id === id) ? undefined : found;
    },
    late: { failed: texts.removePasskey.failed, unknown: texts.removePasskey.unknown },
  });
  return (
    <SecondFactorProofForm
      change={remove}
      texts={{
        ...{ form: texts.passkeys.removeOf(name), consequence: texts.removePasskey.consequence(name) },
        ...{ failed: texts.removePasskey.failed, unknown: texts.removePasskey.unknown },
        ...{ again: texts.removePasskey.again, submit: texts.removePasskey.submit },
      }}
      isDestructive
      onDone={() => {
        toastDone(texts.removePasskey.done(name));
        onDone();
        return Promise.all([utils.auth.passkeys.invalidate(), utils.auth.secondFactor.invalidate()]);
      }}
      onCancel={onDone}
    />
  );
}
