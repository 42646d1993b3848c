"use client";

import { ActionIcon, Menu } from "@mantine/core";
import { IconAdjustments, IconDots, IconPlayerPlay, IconUserOff } from "@tabler/icons-react";
import { trpc } from "@/app/_trpc/client";
import { confirmAction } from "@/app/_ui/confirm";
import { toastDone, toastFailed } from "@/app/_ui/toast";
import type { OperatedAccount } from "@/server/operator/schema";

/** What else can be done about an account: its limits, and whether it may send at all. */
export function AccountMenu({ account, onLimit }: { account: OperatedAccount; onLimit: () => void }) {
  const utils = trpc.useUtils();
  const name = account.company_name || account.name;
  const setStatus = trpc.operator.setAccountStatus.useMutation({
    onSuccess: ({ status }) => {
      toastDone(status === "active" ? `${name} may send again.` : `${name} is suspended.`);
      return utils.operator.accounts.invalidate();
    },
    onError: toastFailed,
  });
  const askToSuspend = () =>
    confirmAction({
      title: `Suspend ${name}?`,
      children: "Its sends are refused at once. It can still sign in and read; messages already accepted still go out.",
      confirmLabel: "Suspend account",
      onConfirm: () => setStatus.mutate({ account_id: account.id, status: "suspended" }),
    });
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <ActionIcon variant="default" size={30} aria-label={`More for ${name}`} loading={setStatus.isPending}>
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
            Let it send again
          </Menu.Item>
        )}
      </Menu.Dropdown>
    </Menu>
  );
}
