import { Text, Title } from "@mantine/core";
import type { ReactNode } from "react";

/** The heading of a page for people who are not signed in, with a line below it. */
export function FormHeading({ title, children }: { title: string; children: ReactNode }) {
  return (
    <div>
      <Title order={1} size="h3" className="break-word">
        {title}
      </Title>
      <Text c="dimmed" size="sm" mt={4}>
        {children}
      </Text>
    </div>
  );
}
