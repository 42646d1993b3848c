"use client";

import { Menu, type MenuProps } from "@mantine/core";
import { type ReactNode, useEffect, useRef, useState } from "react";

/**
 * A menu that was loaded because its button was pressed: it opens at once. The button is a new element by then, so it takes
 * the focus over first, and has it again when the menu closes.
 */
export function LoadedMenu({ button, children, ...menu }: MenuProps & { button: ReactNode }) {
  const [isOpened, setOpened] = useState(false);
  const target = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    target.current?.focus();
    setOpened(true);
  }, []);
  return (
    <Menu opened={isOpened} onChange={setOpened} position="bottom-end" withinPortal={false} {...menu}>
      <Menu.Target ref={target}>{button}</Menu.Target>
      <Menu.Dropdown>{children}</Menu.Dropdown>
    </Menu>
  );
}
