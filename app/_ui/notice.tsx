import { Alert } from "@mantine/core";
import type { ReactNode } from "react";
import { IconAlertTriangle } from "@/app/_ui/icons/icons";

/**
 * A warning. The title keeps the text color, because yellow on yellow is hard to read.
 * @param role "alert" for one that appears while the page is being read, so that screen readers announce it.
 */
export function Notice({
  title,
  role = "note",
  children,
}: {
  title?: string;
  role?: "note" | "alert";
  children: ReactNode;
}) {
  return (
    <Alert
      color="yellow"
      variant="light"
      role={role}
      icon={<IconAlertTriangle aria-hidden />}
      title={title}
      styles={{ title: { color: "var(--mantine-color-text)" } }}
    >
      {children}
    </Alert>
  );
}
