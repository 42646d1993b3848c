"use client";

import { securityTexts as texts } from "@/app/_texts/settings/security";
import { trpc } from "@/app/_trpc/client";
import { useChange } from "@/app/_ui/changes/use-change";
import { toastDone } from "@/app/_ui/toast";
import { SecondFactorProofForm } from "./second-factor-proof";

/** Asks for the password and an authenticator or recovery code. */
export function DisableSecondFactor({ onDone }: { onDone: () => void }) {
  const utils = trpc.useUtils();
  const disable = useChange(utils.client.auth.secondFactor.disable.mutate, {
    look: async () => {
      const factor = await utils.client.auth.secondFactor.get.query();
      return factor.enabled ? undefined : factor;
    },
    late: { failed: texts.disable.failed, unknown: texts.disable.unknown },
  });
  return (
    <SecondFactorProofForm
      change={disable}
      texts={texts.disable}
      isDestructive
      onDone={() => {
        toastDone(texts.disable.disabled);
        onDone();
        return utils.auth.secondFactor.invalidate();
      }}
      onCancel={onDone}
    />
  );
}
