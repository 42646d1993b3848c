"use client";

import Link from "next/link";
import { type ComponentProps, useState } from "react";
import { isOnline } from "../connection/connection";

/**
 * A link to a page of the console that is prefetched once somebody points at it or focuses it. Next would prefetch every visible
 * link: each page would request all pages of the navigation, and each list all of its rows.
 */
export function PageLink({
  onPointerEnter,
  onFocus,
  onClick,
  ...props
}: Omit<ComponentProps<typeof Link>, "href" | "prefetch"> & { href: string }) {
  const [isNear, setNear] = useState(false);
  return (
    <Link
      {...props}
      prefetch={isNear ? null : false}
      onClick={(event) => {
        onClick?.(event);
        // Next would navigate to the browser's own error page.
        if (!isOnline()) event.preventDefault();
      }}
      onPointerEnter={(event) => {
        setNear(true);
        onPointerEnter?.(event);
      }}
      onFocus={(event) => {
        setNear(true);
        onFocus?.(event);
      }}
    />
  );
}
