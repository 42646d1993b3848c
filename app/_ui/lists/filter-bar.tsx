"use client";

import { Button, Group } from "@mantine/core";
import { type ReactNode, useState } from "react";
import { listsTexts as texts } from "@/app/_texts/ui/lists";
import { IconAdjustmentsHorizontal, IconFilterOff } from "@/app/_ui/icons/icons";
import { HINT_SPACE } from "./filter-hint";
import type { UrlPatch } from "./use-url-state";

/** Writes filters to the URL; see `useUrlState`. */
export type ChangeFilters = (patch: UrlPatch, how?: "push" | "replace") => void;

/**
 * The filters of a list in a row, with a button that clears them while any is set. `more` are rarer ones, which another button
 * shows; they stay visible while `isMoreSet`.
 */
export function FilterBar({
  isFiltered,
  onClear,
  children,
  more,
  isMoreSet = false,
}: {
  isFiltered: boolean;
  onClear: () => void;
  children: ReactNode;
  more?: ReactNode;
  isMoreSet?: boolean;
}) {
  const [isOpen, setIsOpen] = useState(isMoreSet);
  // They stay visible when the last one is cleared, because it may have the focus.
  if (isMoreSet && !isOpen) setIsOpen(true);
  return (
    <Group gap="sm" align="flex-end" mb={HINT_SPACE} style={{ rowGap: HINT_SPACE }}>
      {children}
      {isOpen && more}
      {more && !isMoreSet && (
        <Button
          variant="subtle"
          leftSection={<IconAdjustmentsHorizontal size={16} aria-hidden />}
          aria-expanded={isOpen}
          onClick={() => setIsOpen(!isOpen)}
        >
          {isOpen ? texts.fewerFilters : texts.moreFilters}
        </Button>
      )}
      {isFiltered && (
        <Button variant="subtle" leftSection={<IconFilterOff size={16} aria-hidden />} onClick={onClear}>
          {texts.clearFilters}
        </Button>
      )}
    </Group>
  );
}
