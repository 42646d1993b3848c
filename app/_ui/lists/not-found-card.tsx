import { Card } from "@mantine/core";
import type { Icon } from "@/app/_ui/icons/icon";
import { LinkButton } from "../frame/link-button";
import { EmptyState } from "./empty-state";

/** Shown by the page of one thing that does not exist, with a link to the list. */
export function NotFoundCard({
  icon,
  title,
  why,
  all,
}: {
  icon: Icon;
  title: string;
  why: string;
  all: { href: string; label: string };
}) {
  return (
    <Card>
      <EmptyState
        icon={icon}
        title={title}
        isPage
        action={
          <LinkButton href={all.href} variant="light">
            {all.label}
          </LinkButton>
        }
      >
        {why}
      </EmptyState>
    </Card>
  );
}
