"use client";

import { ActionIcon } from "@mantine/core";
import { Suspense, useState } from "react";
import { accountWordsTexts as texts } from "@/app/_texts/operator/account-words";
import { trpc } from "@/app/_trpc/client";
import { ifHolds } from "@/app/_ui/changes/outcome";
import { useChange } from "@/app/_ui/changes/use-change";
import { lazily } from "@/app/_ui/connection/connection";
import { confirmAction } from "@/app/_ui/forms/confirm";
import { IconDots } from "@/app/_ui/icons/icons";
import { toastDone, toastFailed } from "@/app/_ui/toast";
import type { OperatedAccount } from "@/server/operator/schema";

const AccountMenuItems = lazily(() =>
  import("./account-menu-items").then((file) => ({ default: file.AccountMenuItems })),
);

/** Further actions on an account: its limits, suspension and reactivation. The menu is loaded when it is opened first. */
export function AccountMenu({
  account,
  size = 30,
  onLimit,
}: {
  account: OperatedAccount;
  size?: number;
  onLimit: () => void;
}) {
  const utils = trpc.useUtils();
  const [isWanted, setWanted] = useState(false);
  const name = account.company_name || account.name;
  const setStatus = useChange(utils.client.operator.setAccountStatus.mutate, {
    look: async ({ account_id, status }) =>
      ifHolds(await utils.client.operator.account.query({ account_id }), { status }),
    onSuccess: ({ status }) => toastDone(status === "active" ? texts.reactivated(name) : texts.suspend.done(name)),
    onError: toastFailed,
    onSettled: () => utils.operator.invalidate(),
  });
  const askToSuspend = () =>
    confirmAction({
      title: texts.suspend.ask(name),
      children: texts.suspend.explanation,
      confirmLabel: texts.suspend.submit,
      onConfirm: () => setStatus.mutate({ account_id: account.id, status: "suspended" }),
    });
  const button = (
    <ActionIcon
      variant="default"
      size={size}
      aria-label={texts.moreActions(name)}
      aria-haspopup="menu"
      loading={setStatus.isPending}
      onClick={() => setWanted(true)}
    >
      <IconDots size={16} aria-hidden />
    </ActionIcon>
  );
  if (!isWanted) return button;
  return (
    <Suspense fallback={button}>
      <AccountMenuItems
        isActive={account.status === "active"}
        onLimit={onLimit}
        onSuspend={askToSuspend}
        onReactivate={() => setStatus.mutate({ account_id: account.id, status: "active" })}
      >
        {button}
      </AccountMenuItems>
    </Suspense>
  );
}
