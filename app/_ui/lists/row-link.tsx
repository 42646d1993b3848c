"use client";

import Link from "next/link";
import { type ReactNode, useState } from "react";

/**
 * The link of a row to its page, which is fetched ahead once it is pointed at or focused: by default Next does so for every
 * link in sight, with two requests for each row of a list.
 */
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
  const [isNear, setNear] = useState(false);
  const come = () => setNear(true);
  return (
    <Link
      href={href}
      prefetch={isNear ? null : false}
      onPointerEnter={come}
      onFocus={come}
      className={`row-link tabular ${wraps ? "break-word" : "nowrap"}`}
    >
      {children}
    </Link>
  );
}
