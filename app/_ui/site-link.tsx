"use client";

import Link from "next/link";
import { usePathname } from "next/navigation";
import type { ComponentProps } from "react";
import { REFERENCE_HREF } from "../docs/_guides/list";

/**
 * A link to another place of this site. To and from the API reference the whole page is loaded anew: Scalar writes into
 * the history while it draws, and Next's router gives up a navigation that is under way when anything else does so.
 */
export function SiteLink(props: ComponentProps<"a"> & { href: string }) {
  const leavesReference = usePathname() === REFERENCE_HREF;
  return leavesReference || props.href === REFERENCE_HREF ? <a {...props} /> : <Link {...props} />;
}
