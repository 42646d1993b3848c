import { Alert } from "@mantine/core";
import { IconAlertTriangle } from "@tabler/icons-react";
import type { ReactNode } from "react";

/** A warning. The title keeps the text colour, because yellow on yellow is hard to read. */
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
