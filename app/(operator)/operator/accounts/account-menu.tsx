"use client";

import { ActionIcon, Menu } from "@mantine/core";
import { IconAdjustments, IconDots, IconPlayerPlay, IconUserOff } from "@tabler/icons-react";
import { trpc } from "@/app/_trpc/client";
import { confirmAction } from "@/app/_ui/forms/confirm";
import { toastDone, toastFailed } from "@/app/_ui/toast";
import type { OperatedAccount } from "@/server/operator/schema";

/** Further actions on an account: its limits, suspension and reactivation. */
export function AccountMenu({ account, onLimit }: { account: OperatedAccount; onLimit: () => void }) {
  const utils = trpc.useUtils();
  const name = account.company_name || account.name;
  const setStatus = trpc.operator.setAccountStatus.useMutation({
    onSuccess: ({ status }) => {
      toastDone(status === "active" ? `${name} reactivated` : `${name} suspended`);
      return utils.operator.accounts.invalidate();
    },
    onError: toastFailed,
  });
  const askToSuspend = () =>
    confirmAction({
      title: `Suspend ${name}?`,
      children:
        "New sends are refused at once, and messages that no provider has yet fail and are refunded. Its users can still sign in and read.",
      confirmLabel: "Suspend account",
      onConfirm: () => setStatus.mutate({ account_id: account.id, status: "suspended" }),
    });
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <ActionIcon variant="default" size={30} aria-label={`More actions for ${name}`} loading={setStatus.isPending}>
          <IconDots size={16} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item leftSection={<IconAdjustments size={16} aria-hidden />} onClick={onLimit}>
          Limits
        </Menu.Item>
        {account.status === "active" ? (
          <Menu.Item color="red" leftSection={<IconUserOff size={16} aria-hidden />} onClick={askToSuspend}>
            Suspend
          </Menu.Item>
        ) : (
          <Menu.Item
            leftSection={<IconPlayerPlay size={16} aria-hidden />}
            onClick={() => setStatus.mutate({ account_id: account.id, status: "active" })}
          >
            Reactivate
          </Menu.Item>
        )}
      </Menu.Dropdown>
    </Menu>
  );
}
