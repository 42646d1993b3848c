"use client";

import { usePathname } from "next/navigation";
import type { ComponentProps } from "react";
import { REFERENCE_HREF } from "../../docs/_guides/list";
import { PageLink } from "./page-link";

/**
 * A link within this site. Links to and from the API reference load the whole page: Scalar writes to the history while
 * it renders, which makes Next's router abort a navigation in progress.
 */
export function SiteLink(props: ComponentProps<"a"> & { href: string }) {
  const leavesReference = usePathname() === REFERENCE_HREF;
  if (leavesReference || props.href === REFERENCE_HREF) return <a {...props} />;
  return <PageLink {...props} />;
}
