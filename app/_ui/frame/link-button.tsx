"use client";

import { Button, type ButtonProps } from "@mantine/core";
import type { ReactNode } from "react";
import { SiteLink } from "./site-link";

/** A link that looks like a button; usable from server components too. */
export function LinkButton({ href, children, ...props }: ButtonProps & { href: string; children: ReactNode }) {
  return (
    <Button component={SiteLink} href={href} {...props}>
      {children}
    </Button>
  );
}
