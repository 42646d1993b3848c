"use client";

import { Menu, Text } from "@mantine/core";
import { IconLogout, IconShieldLock } from "@tabler/icons-react";
import type { ReactNode } from "react";
import { forgetPerson } from "../_trpc/client";
import { SiteLink } from "../_ui/frame/site-link";

/** The signed-in person, security settings and sign-out. `children`: the button that opens it. */
export function OpenAccountMenu({ name, email, children }: { name: string; email: string; children: ReactNode }) {
  return (
    <Menu defaultOpened position="bottom-end" width={240} withinPortal={false}>
      <Menu.Target>{children}</Menu.Target>
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
        <Menu.Item component={SiteLink} href="/security" leftSection={<IconShieldLock size={16} aria-hidden />}>
          Security
        </Menu.Item>
        <Menu.Item
          leftSection={<IconLogout size={16} aria-hidden />}
          onClick={async () => {
            forgetPerson();
            const { signOut } = await import("next-auth/react");
            await signOut({ callbackUrl: "/sign-in" });
          }}
        >
          Sign out
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
