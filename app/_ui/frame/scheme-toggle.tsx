"use client";

import { ActionIcon, Box } from "@mantine/core";
import { Suspense, useState } from "react";
import { frameTexts as texts } from "@/app/_texts/ui/frame";
import { IconMoon, IconSun } from "@/app/_ui/icons/icons";
import { lazily } from "../connection/connection";

const SchemeMenu = lazily(() => import("./scheme-menu").then((file) => ({ default: file.SchemeMenu })));

/**
 * The button that chooses light, dark or the system's colors, and with `withDensity` compact tables; its menu is loaded when
 * it is first opened. CSS shows one of the icons, because the server does not know the choice.
 */
export function SchemeToggle({ withDensity = false }: { withDensity?: boolean }) {
  const [isWanted, setWanted] = useState(false);
  const button = (
    <ActionIcon
      variant="subtle"
      color="gray"
      size="lg"
      radius="xl"
      aria-label={texts.theme}
      aria-haspopup="menu"
      onClick={() => setWanted(true)}
    >
      <Box component="span" lightHidden lh={0}>
        <IconMoon size={19} stroke={1.7} aria-hidden />
      </Box>
      <Box component="span" darkHidden lh={0}>
        <IconSun size={19} stroke={1.7} aria-hidden />
      </Box>
    </ActionIcon>
  );
  if (!isWanted) return button;
  return (
    <Suspense fallback={button}>
      <SchemeMenu withDensity={withDensity}>{button}</SchemeMenu>
    </Suspense>
  );
}
