"use client";

import { Menu, type MenuProps } from "@mantine/core";
import { type ReactNode, useEffect, useRef, useState } from "react";

/**
 * A menu that was loaded because its button was pressed: it opens at once. The button is a new element by then, so it takes
 * the focus over first, and has it again when the menu closes.
 */
export function LoadedMenu({ button, children, ...menu }: MenuProps & { button: ReactNode }) {
  const [isOpened, setOpened] = useState(false);
  const place = useRef<HTMLSpanElement>(null);
  useEffect(() => {
    place.current?.querySelector("button")?.focus();
    setOpened(true);
  }, []);
  return (
    <Menu opened={isOpened} onChange={setOpened} position="bottom-end" withinPortal={false} {...menu}>
      <span ref={place} style={{ display: "contents" }}>
        <Menu.Target>{button}</Menu.Target>
      </span>
      <Menu.Dropdown>{children}</Menu.Dropdown>
    </Menu>
  );
}
