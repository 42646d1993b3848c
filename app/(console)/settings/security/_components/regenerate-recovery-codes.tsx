"use client";

import { securityTexts as texts } from "@/app/_texts/settings/security";
import { trpc } from "@/app/_trpc/client";
import { useChange } from "@/app/_ui/changes/use-change";
import { useLeaveQuestion } from "@/app/_ui/drafts/use-leave-question";
import { LOST_CODES, RecoveryCodes } from "./recovery-codes";
import { SecondFactorProofForm } from "./second-factor-proof";

/**
 * Asks for the password and a code, and then shows new recovery codes once.
 * @param madeAt when the stored codes were made, as the page last read it.
 */
export function RegenerateRecoveryCodes({ madeAt, onDone }: { madeAt: string | null; onDone: () => void }) {
  const utils = trpc.useUtils();
  const regenerate = useChange(utils.client.auth.secondFactor.regenerateRecoveryCodes.mutate, {
    // Codes are never shown a second time: the page can only find out whether there are new ones.
    look: async () => {
      const { recovery_codes_made_at: present } = await utils.client.auth.secondFactor.get.query();
      return present !== null && present !== madeAt ? LOST_CODES : undefined;
    },
    late: { failed: texts.recovery.failed, unknown: texts.recovery.unknown },
    onSettled: () => void utils.auth.secondFactor.invalidate(),
  });
  useLeaveQuestion(regenerate.isPending, "secret");

  if (regenerate.data) {
    return (
      <RecoveryCodes
        made={regenerate.data}
        lost={texts.recovery.oldCodesInvalid}
        onDone={onDone}
        onMakeNew={regenerate.reset}
      />
    );
  }
  return (
    <SecondFactorProofForm
      change={regenerate}
      texts={texts.recovery}
      onCancel={() => {
        // Closing while they are being made would lose them.
        if (!regenerate.isPending) onDone();
      }}
    />
  );
}
