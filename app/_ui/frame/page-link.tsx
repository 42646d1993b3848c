"use client";

import Link from "next/link";
import { type ComponentProps, useState } from "react";
import { isOnline } from "../connection/connection";

/**
 * A link to a page of the console, which is fetched ahead once somebody points at it or focuses it. Next does so for every link
 * in sight: each page that is opened then asks for all those of the navigation, and a list for each of its rows.
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
        // Next would leave for the browser's own page of errors.
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
