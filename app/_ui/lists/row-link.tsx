import type { ReactNode } from "react";
import { PageLink } from "../frame/page-link";

/** The link of a row to its page. */
export function RowLink({
  href,
  wraps = false,
  children,
}: {
  href: string;
  /** Whether a long text may take several lines. */
  wraps?: boolean;
  children: ReactNode;
}) {
  return (
    <PageLink href={href} className={`row-link tabular ${wraps ? "break-word" : "nowrap"}`}>
      {children}
    </PageLink>
  );
}
