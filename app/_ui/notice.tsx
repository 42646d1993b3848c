import { Alert } from "@mantine/core";
import type { ReactNode } from "react";
import { IconAlertTriangle } from "@/app/_ui/icons/icons";

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
