"use client";

import { Switch } from "@mantine/core";
import { useState } from "react";
import { switchTestMode, useTestMode } from "../_trpc/test-mode";

/** Switches between live and test mode. It is busy until the page has been loaded anew. */
export function TestModeSwitch() {
  const isOn = useTestMode();
  const [chosen, setChosen] = useState<boolean | null>(null);
  return (
    <Switch
      label="Test mode"
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
