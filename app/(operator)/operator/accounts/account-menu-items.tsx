"use client";

import { Menu } from "@mantine/core";
import type { ReactNode } from "react";
import { accountMenuTexts as texts } from "@/app/_texts/operator/account-menu";
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
    // Outside the table, which would clip it, but inside the landmark of the page.
    <LoadedMenu button={children} withinPortal portalProps={{ target: "#content" }}>
      <Menu.Item leftSection={<IconAdjustments size={16} aria-hidden />} onClick={onLimit}>
        {texts.limits}
      </Menu.Item>
      {isActive ? (
        <Menu.Item
          c="var(--mantine-color-error)"
          leftSection={<IconUserOff size={16} aria-hidden />}
          onClick={onSuspend}
        >
          {texts.suspend}
        </Menu.Item>
      ) : (
        <Menu.Item leftSection={<IconPlayerPlay size={16} aria-hidden />} onClick={onReactivate}>
          {texts.reactivate}
        </Menu.Item>
      )}
    </LoadedMenu>
  );
}
