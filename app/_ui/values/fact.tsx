"use client";

import { Anchor, DataList, Group, Text } from "@mantine/core";
import type { ReactNode } from "react";
import { PageLink } from "../frame/page-link";
import { CopyButton } from "./copy-button";

/** A row of a `DataList`: what it is, and its value. */
export function Fact({ label, children }: { label: ReactNode; children: ReactNode }) {
  return (
    <DataList.Item>
      <DataList.ItemLabel>{label}</DataList.ItemLabel>
      <DataList.ItemValue miw={0}>{children}</DataList.ItemValue>
    </DataList.Item>
  );
}

/** A link below the value of a fact. */
export function FactLink({ href, children }: { href: string; children: ReactNode }) {
  return (
    <div>
      <Anchor component={PageLink} href={href} size="sm" underline="always">
        {children}
      </Anchor>
    </div>
  );
}

/** An identifier with a button that copies it. `label`: the button's accessible name. */
export function Copied({ value, label }: { value: string; label: string }) {
  return (
    <Group gap={4} wrap="nowrap" miw={0}>
      <Text inherit className="mono" miw={0} style={{ overflowWrap: "anywhere" }}>
        {value}
      </Text>
      <CopyButton value={value} label={label} />
    </Group>
  );
}
