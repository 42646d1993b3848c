"use client";

import { Menu, type MenuProps } from "@mantine/core";
import { type KeyboardEvent, type ReactNode, useEffect, useRef, useState } from "react";

const focusButtonIn = (place: HTMLElement | null) => place?.querySelector("button")?.focus();

/**
 * A menu that was loaded because its button was pressed: it opens at once. The button is a new element by then, so it takes
 * the focus over first, and has it again when the menu closes. Mantine listens for Escape inside the menu only, and moves the
 * focus there a moment after the menu is seen: Escape before that moment closes it from the button.
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
  // The moved focus may have arrived in a menu that was closing, and is nowhere once that is gone.
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
