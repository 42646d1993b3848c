import { Button } from "@mantine/core";
import type { ReactNode } from "react";
import { IconFilterOff } from "@/app/_ui/icons/icons";
import { EmptyState } from "./empty-state";

/** Shown for a list whose filters match no row, with a button that removes them. */
export function NoMatch({
  title,
  showAll,
  onClear,
  children,
}: {
  title: string;
  /** Label of the button. */
  showAll: string;
  onClear: () => void;
  children?: ReactNode;
}) {
  return (
    <EmptyState
      icon={IconFilterOff}
      title={title}
      action={
        <Button variant="light" onClick={onClear}>
          {showAll}
        </Button>
      }
    >
      {children}
    </EmptyState>
  );
}
