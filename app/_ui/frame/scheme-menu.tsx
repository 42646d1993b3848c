"use client";

import { type MantineColorScheme, Menu, useMantineColorScheme } from "@mantine/core";
import type { ReactNode } from "react";
import type { Icon } from "@/app/_ui/icons/icon";
import { IconCheck, IconDeviceDesktop, IconMoon, IconSun } from "@/app/_ui/icons/icons";
import { rememberCompact, useCompact } from "./density";
import { LoadedMenu } from "./loaded-menu";

const SCHEMES: ReadonlyArray<{ value: MantineColorScheme; label: string; icon: Icon }> = [
  { value: "light", label: "Light", icon: IconSun },
  { value: "dark", label: "Dark", icon: IconMoon },
  { value: "auto", label: "Match system", icon: IconDeviceDesktop },
];

/** Chooses light, dark or the system's colours, and whether tables are compact. `children`: the button that opens it. */
export function SchemeMenu({ withDensity, children }: { withDensity: boolean; children: ReactNode }) {
  const isCompact = useCompact();
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  return (
    <LoadedMenu button={children} keepMounted={false}>
      {SCHEMES.map(({ value, label, icon: IconOf }) => {
        const isChosen = colorScheme === value;
        return (
          <Menu.Item
            key={value}
            leftSection={<IconOf size={16} aria-hidden />}
            rightSection={isChosen ? <IconCheck size={16} aria-hidden /> : undefined}
            onClick={() => setColorScheme(value)}
          >
            {label}
          </Menu.Item>
        );
      })}
      {withDensity && (
        <>
          <Menu.Divider />
          <Menu.CheckboxItem checked={isCompact} onChange={rememberCompact} closeMenuOnClick>
            Compact tables
          </Menu.CheckboxItem>
        </>
      )}
    </LoadedMenu>
  );
}
