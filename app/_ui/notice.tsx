import { Alert } from "@mantine/core";
import { IconAlertTriangle } from "@tabler/icons-react";
import type { ReactNode } from "react";

/** Something to heed before going on. Yellow on yellow is hard to read, so the words keep the colour of text. */
export function Notice({ title, children }: { title?: string; children: ReactNode }) {
  return (
    <Alert
      color="yellow"
      variant="light"
      role="note"
      icon={<IconAlertTriangle aria-hidden />}
      title={title}
      styles={{ title: { color: "var(--mantine-color-text)" } }}
    >
      {children}
    </Alert>
  );
}
