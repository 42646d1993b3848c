import type { MouseEvent, ReactNode } from "react";
import { PageLink } from "../frame/page-link";

/** Whether a click opens the link here, and not in another tab or window. */
const isPlain = ({ ctrlKey, metaKey, shiftKey, altKey }: MouseEvent) => !(ctrlKey || metaKey || shiftKey || altKey);

/** The link of a row to its page. */
export function RowLink({
  href,
  wraps = false,
  onOpen,
  children,
}: {
  href: string;
  /** Whether a long text may take several lines. */
  wraps?: boolean;
  /** Opens the target on the current page; without it, the link navigates. */
  onOpen?: () => void;
  children: ReactNode;
}) {
  return (
    <PageLink
      href={href}
      className={`row-link tabular ${wraps ? "break-word" : "nowrap"}`}
      onClick={(event) => {
        if (!onOpen || !isPlain(event)) return;
        event.preventDefault();
        onOpen();
      }}
    >
      {children}
    </PageLink>
  );
}
