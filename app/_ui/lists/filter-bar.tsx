"use client";

import { Button, Group, Stack } from "@mantine/core";
import { IconAdjustmentsHorizontal, IconFilterOff } from "@tabler/icons-react";
import { type ReactNode, useId, useState } from "react";
import type { UrlPatch } from "./use-url-state";

/** Writes filters to the URL; see `useUrlState`. */
export type ChangeFilters = (patch: UrlPatch, how?: "push" | "replace") => void;

/**
 * The filters of a list in a row, with a button that clears them while any is set. `more` are rarer ones in a row of their own,
 * which a button opens; `isMoreSet` keeps it open.
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
  const id = useId();
  // It stays open when the last one is cleared, which may have the focus.
  if (isMoreSet && !isOpen) setIsOpen(true);
  return (
    <Stack gap="sm" mb="md">
      <Group gap="sm" align="flex-end">
        {children}
        {more && !isMoreSet && (
          <Button
            variant="subtle"
            leftSection={<IconAdjustmentsHorizontal size={16} aria-hidden />}
            aria-expanded={isOpen}
            aria-controls={isOpen ? id : undefined}
            onClick={() => setIsOpen(!isOpen)}
          >
            {isOpen ? "Fewer filters" : "More filters"}
          </Button>
        )}
        {isFiltered && (
          <Button variant="subtle" leftSection={<IconFilterOff size={16} aria-hidden />} onClick={onClear}>
            Clear filters
          </Button>
        )}
      </Group>
      {more && isOpen && (
        <Group gap="sm" align="flex-end" id={id}>
          {more}
        </Group>
      )}
    </Stack>
  );
}
