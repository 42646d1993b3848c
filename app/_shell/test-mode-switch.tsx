"use client";

import { Switch } from "@mantine/core";
import { useState } from "react";
import { shellTexts as texts } from "@/app/_texts/shell/shell";
import { switchTestMode } from "../_trpc/test-mode";

/** Switches between live and test mode. It is busy until the page has been reloaded. */
export function TestModeSwitch({ isOn }: { isOn: boolean }) {
  const [chosen, setChosen] = useState<boolean | null>(null);
  return (
    <Switch
      label={texts.testMode.label}
      labelPosition="left"
      size="sm"
      color="orange"
      checked={chosen ?? isOn}
      disabled={chosen !== null}
      onChange={({ currentTarget: { checked } }) => {
        setChosen(checked);
        switchTestMode(checked);
      }}
    />
  );
}
