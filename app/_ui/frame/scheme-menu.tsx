"use client";

import { type MantineColorScheme, Menu, useMantineColorScheme } from "@mantine/core";
import {
  type Icon,
  IconBaselineDensitySmall,
  IconCheck,
  IconDeviceDesktop,
  IconMoon,
  IconSun,
} from "@tabler/icons-react";
import type { ReactNode } from "react";
import { rememberCompact, useCompact } from "./density";
import { LoadedMenu } from "./loaded-menu";

const SCHEMES: ReadonlyArray<{ value: MantineColorScheme; label: string; icon: Icon }> = [
  { value: "light", label: "Light", icon: IconSun },
  { value: "dark", label: "Dark", icon: IconMoon },
  { value: "auto", label: "As the system", icon: IconDeviceDesktop },
];

const chosen = <IconCheck size={16} aria-hidden />;

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
            rightSection={isChosen ? chosen : undefined}
            onClick={() => setColorScheme(value)}
          >
            {label}
          </Menu.Item>
        );
      })}
      {withDensity && (
        <>
          <Menu.Divider />
          <Menu.Item
            role="menuitemcheckbox"
            aria-checked={isCompact}
            leftSection={<IconBaselineDensitySmall size={16} aria-hidden />}
            rightSection={isCompact ? chosen : undefined}
            onClick={() => rememberCompact(!isCompact)}
          >
            Compact tables
          </Menu.Item>
        </>
      )}
    </LoadedMenu>
  );
}
