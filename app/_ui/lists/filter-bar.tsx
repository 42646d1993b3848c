import { Button, Group } from "@mantine/core";
import { IconFilterOff } from "@tabler/icons-react";
import type { ReactNode } from "react";
import type { UrlPatch } from "./use-url-state";

/** Writes filters to the URL; see `useUrlState`. */
export type ChangeFilters = (patch: UrlPatch, how?: "push" | "replace") => void;

/** The filters of a list in a row, with a button that clears them while any is set. */
export function FilterBar({
  isFiltered,
  onClear,
  children,
}: {
  isFiltered: boolean;
  onClear: () => void;
  children: ReactNode;
}) {
  return (
    <Group gap="sm" align="flex-end" mb="md">
      {children}
      {isFiltered && (
        <Button variant="subtle" leftSection={<IconFilterOff size={16} />} onClick={onClear}>
          Clear filters
        </Button>
      )}
    </Group>
  );
}
