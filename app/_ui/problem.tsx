import { Alert } from "@mantine/core";
import type { ReactNode } from "react";
import { IconAlertTriangle } from "@/app/_ui/icons/icons";

/** A failure, which screen readers announce. For a warning use `Notice`. */
export function Problem({ title, mb, children }: { title?: string; mb?: "lg"; children: ReactNode }) {
  return (
    <Alert color="red" variant="light" role="alert" icon={<IconAlertTriangle aria-hidden />} title={title} mb={mb}>
      {children}
    </Alert>
  );
}
