"use client";

import { Menu, Text } from "@mantine/core";
import { shellTexts as texts } from "@/app/_texts/shell/shell";
import { IconBuilding, IconCheck } from "@/app/_ui/icons/icons";
import { dropPerson, trpc } from "../_trpc/client";
import { toastFailed } from "../_ui/toast";

/** The accounts of somebody who has several, in a menu; choosing one reloads the page in it. */
export function AccountSwitch() {
  const { data: memberships = [] } = trpc.members.memberships.useQuery();
  const open = trpc.members.switchAccount.useMutation({
    onSuccess: () => {
      // This page shows data of the other account.
      dropPerson();
      window.location.assign("/");
    },
    onError: toastFailed,
  });
  if (memberships.length < 2) return null;
  return (
    <>
      <Menu.Label>{texts.account.accounts}</Menu.Label>
      <div className="menu-accounts">
        {memberships.map(({ account_id, name, role, is_current }) => (
          <Menu.Item
            key={account_id}
            leftSection={is_current ? <IconCheck size={16} aria-hidden /> : <IconBuilding size={16} aria-hidden />}
            aria-current={is_current || undefined}
            onClick={() => !is_current && open.mutate({ account_id })}
          >
            <Text size="sm" className="clip" component="div" dir="auto">
              {name}
            </Text>
            <Text size="xs" c="dimmed" component="div">
              {texts.account.roles[role]}
            </Text>
          </Menu.Item>
        ))}
      </div>
      <Menu.Divider />
    </>
  );
}
