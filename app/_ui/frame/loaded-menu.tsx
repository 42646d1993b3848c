"use client";

import { Menu, type MenuProps } from "@mantine/core";
import { type KeyboardEvent, type ReactNode, useEffect, useRef, useState } from "react";

const focusButtonIn = (place: HTMLElement | null) => place?.querySelector("button")?.focus();

/**
 * A menu that was loaded because its button was pressed, and so opens at once. Its button is a new element by then, so it takes
 * over the focus first and gets it back when the menu closes. Mantine handles Escape only inside the menu, and moves the focus
 * there a moment after the menu is shown; until then the button handles Escape.
 */
export function LoadedMenu({ button, children, ...menu }: MenuProps & { button: ReactNode }) {
  const [isOpened, setOpened] = useState(false);
  const place = useRef<HTMLSpanElement>(null);
  useEffect(() => {
    focusButtonIn(place.current);
    setOpened(true);
  }, []);
  const closeOnEscape = (event: KeyboardEvent) => {
    if (event.key === "Escape") setOpened(false);
  };
  // The focus may have moved into a menu that was already closing, and would be lost with it.
  const keepFocus = () => {
    const focused = document.activeElement;
    if (!focused || focused === document.body || focused.closest("[role=menu]")) focusButtonIn(place.current);
  };
  return (
    <Menu
      opened={isOpened}
      onChange={setOpened}
      onExitTransitionEnd={keepFocus}
      position="bottom-end"
      withinPortal={false}
      {...menu}
    >
      {/* biome-ignore lint/a11y/noStaticElementInteractions: the button inside has the focus, and its keys bubble. */}
      <span ref={place} style={{ display: "contents" }} onKeyDown={closeOnEscape}>
        <Menu.Target>{button}</Menu.Target>
      </span>
      <Menu.Dropdown>{children}</Menu.Dropdown>
    </Menu>
  );
}
