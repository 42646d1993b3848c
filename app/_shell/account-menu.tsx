"use client";

import { Avatar, Menu, Text, UnstyledButton, VisuallyHidden } from "@mantine/core";
import { IconLogout, IconShieldLock } from "@tabler/icons-react";
import { signOut } from "next-auth/react";
import { forgetPerson } from "../_trpc/client";
import { rememberTestMode } from "../_trpc/test-mode";
import { SiteLink } from "../_ui/frame/site-link";
import { AccountSwitch } from "./account-switch";

/** The signed-in person, their accounts, security settings and sign-out. */
export function AccountMenu({ name, email }: { name: string; email: string }) {
  return (
    <Menu position="bottom-end" width={240} withinPortal={false}>
      <Menu.Target>
        <UnstyledButton className="round-focus">
          <Avatar name={name} color="iris" radius="xl" size={34} alt="" aria-hidden />
          <VisuallyHidden>Account menu</VisuallyHidden>
        </UnstyledButton>
      </Menu.Target>
      <Menu.Dropdown>
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
        <Menu.Item
          component={SiteLink}
          href="/settings/security"
          leftSection={<IconShieldLock size={16} aria-hidden />}
        >
          Security
        </Menu.Item>
        <Menu.Item
          leftSection={<IconLogout size={16} aria-hidden />}
          onClick={() => {
            forgetPerson();
            rememberTestMode(false);
            void signOut({ callbackUrl: "/sign-in" });
          }}
        >
          Sign out
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
