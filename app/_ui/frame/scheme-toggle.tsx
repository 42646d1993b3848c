"use client";

import { ActionIcon, Box, type MantineColorScheme, Menu, useMantineColorScheme } from "@mantine/core";
import { useMounted } from "@mantine/hooks";
import { type Icon, IconCheck, IconDeviceDesktop, IconMoon, IconSun } from "@tabler/icons-react";

const SCHEMES: ReadonlyArray<{ value: MantineColorScheme; label: string; icon: Icon }> = [
  { value: "light", label: "Light", icon: IconSun },
  { value: "dark", label: "Dark", icon: IconMoon },
  { value: "auto", label: "As the system", icon: IconDeviceDesktop },
];

/** Chooses light, dark or the system's colours. CSS shows one of the icons, because the server does not know the choice. */
export function SchemeToggle() {
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const isMounted = useMounted();
  return (
    <Menu position="bottom-end" keepMounted={false} withinPortal={false}>
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" size="lg" radius="xl" aria-label="Theme">
          <Box component="span" lightHidden lh={0}>
            <IconMoon size={19} stroke={1.7} aria-hidden />
          </Box>
          <Box component="span" darkHidden lh={0}>
            <IconSun size={19} stroke={1.7} aria-hidden />
          </Box>
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        {SCHEMES.map(({ value, label, icon: IconOf }) => {
          const isChosen = isMounted && colorScheme === value;
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
      </Menu.Dropdown>
    </Menu>
  );
}
