"use client";

import { ActionIcon, Box, Tooltip, useComputedColorScheme, useMantineColorScheme } from "@mantine/core";
import { IconMoon, IconSun } from "@tabler/icons-react";

const LABEL = "Switch between light and dark";

/** Renders both icons and lets CSS show one, because the server does not know the user's colour scheme. */
export function SchemeToggle() {
  const { setColorScheme } = useMantineColorScheme();
  const scheme = useComputedColorScheme("light", { getInitialValueInEffect: true });
  return (
    <Tooltip label={LABEL}>
      <ActionIcon
        variant="subtle"
        color="gray"
        size="lg"
        radius="xl"
        aria-label={LABEL}
        onClick={() => setColorScheme(scheme === "dark" ? "light" : "dark")}
      >
        <Box component="span" lightHidden lh={0}>
          <IconSun size={19} stroke={1.7} />
        </Box>
        <Box component="span" darkHidden lh={0}>
          <IconMoon size={19} stroke={1.7} />
        </Box>
      </ActionIcon>
    </Tooltip>
  );
}
