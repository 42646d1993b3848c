"use client";

import { type MantineColorScheme, Menu, useMantineColorScheme } from "@mantine/core";
import type { ReactNode } from "react";
import { frameTexts as texts } from "@/app/_texts/ui/frame";
import type { Icon } from "@/app/_ui/icons/icon";
import { IconCheck, IconDeviceDesktop, IconMoon, IconSun } from "@/app/_ui/icons/icons";
import { rememberCompact, useCompact } from "../view/density";
import { rememberExactTimes, useExactTimes } from "../view/exact-times";
import { LoadedMenu } from "./loaded-menu";

const SCHEMES: ReadonlyArray<{ value: MantineColorScheme; icon: Icon }> = [
  { value: "light", icon: IconSun },
  { value: "dark", icon: IconMoon },
  { value: "auto", icon: IconDeviceDesktop },
];

/** The menu of color schemes, which also makes tables compact and times exact. `children`: the button that opens it. */
export function SchemeMenu({ withDensity, children }: { withDensity: boolean; children: ReactNode }) {
  const isCompact = useCompact();
  const isExact = useExactTimes();
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  return (
    <LoadedMenu button={children} keepMounted={false}>
      {SCHEMES.map(({ value, icon: IconOf }) => {
        const isChosen = colorScheme === value;
        return (
          <Menu.Item
            key={value}
            leftSection={<IconOf size={16} aria-hidden />}
            rightSection={isChosen ? <IconCheck size={16} aria-hidden /> : undefined}
            onClick={() => setColorScheme(value)}
          >
            {texts.schemes[value]}
          </Menu.Item>
        );
      })}
      {withDensity && (
        <>
          <Menu.Divider />
          <Menu.CheckboxItem checked={isCompact} onChange={rememberCompact} closeMenuOnClick>
            {texts.compactTables}
          </Menu.CheckboxItem>
          <Menu.CheckboxItem checked={isExact} onChange={rememberExactTimes} closeMenuOnClick>
            {texts.exactTimes}
          </Menu.CheckboxItem>
        </>
      )}
    </LoadedMenu>
  );
}
