"use client";

import { Menu } from "@mantine/core";
import type { ReactNode } from "react";
import { LoadedMenu } from "@/app/_ui/frame/loaded-menu";
import { IconAdjustments, IconPlayerPlay, IconUserOff } from "@/app/_ui/icons/icons";

/** The open menu of an account. `children`: its button. */
export function AccountMenuItems({
  isActive,
  onLimit,
  onSuspend,
  onReactivate,
  children,
}: {
  isActive: boolean;
  onLimit: () => void;
  onSuspend: () => void;
  onReactivate: () => void;
  children: ReactNode;
}) {
  return (
    <LoadedMenu button={children} withinPortal>
      <Menu.Item leftSection={<IconAdjustments size={16} aria-hidden />} onClick={onLimit}>
        Limits
      </Menu.Item>
      {isActive ? (
        <Menu.Item color="red" leftSection={<IconUserOff size={16} aria-hidden />} onClick={onSuspend}>
          Suspend
        </Menu.Item>
      ) : (
        <Menu.Item leftSection={<IconPlayerPlay size={16} aria-hidden />} onClick={onReactivate}>
          Reactivate
        </Menu.Item>
      )}
    </LoadedMenu>
  );
}
