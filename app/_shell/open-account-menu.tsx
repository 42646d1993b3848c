"use client";

import { Menu, Text } from "@mantine/core";
import type { ReactNode } from "react";
import { shellTexts as texts } from "@/app/_texts/shell/shell";
import { IconLogout, IconShieldLock } from "@/app/_ui/icons/icons";
import { LoadedMenu } from "../_ui/frame/loaded-menu";
import { SiteLink } from "../_ui/frame/site-link";
import { AccountSwitch } from "./account-switch";
import { signOutHere } from "./sign-out";

/** The signed-in person, their accounts, security settings and sign-out. `children`: the button that opens it. */
export function OpenAccountMenu({ name, email, children }: { name: string; email: string; children: ReactNode }) {
  return (
    <LoadedMenu button={children} width={240}>
      <div className="menu-head">
        <Text size="sm" fw={600} className="clip" component="div">
          {name}
        </Text>
        <Text size="xs" c="dimmed" className="clip" component="div">
          {email}
        </Text>
      </div>
      <Menu.Divider />
      <AccountSwitch />
      <Menu.Item component={SiteLink} href="/settings/security" leftSection={<IconShieldLock size={16} aria-hidden />}>
        {texts.account.security}
      </Menu.Item>
      <Menu.Item leftSection={<IconLogout size={16} aria-hidden />} onClick={signOutHere}>
        {texts.account.signOut}
      </Menu.Item>
    </LoadedMenu>
  );
}
