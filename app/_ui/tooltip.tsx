"use client";

import { Portal } from "@mantine/core";
import {
  cloneElement,
  type ReactElement,
  type ReactNode,
  type SyntheticEvent,
  useEffect,
  useId,
  useState,
} from "react";

const GAP = 6;

type Place = { left: number; top?: number; bottom?: number };
type Handlers = {
  onPointerEnter?: (event: SyntheticEvent<HTMLElement>) => void;
  onPointerLeave?: (event: SyntheticEvent<HTMLElement>) => void;
  onFocus?: (event: SyntheticEvent<HTMLElement>) => void;
  onBlur?: (event: SyntheticEvent<HTMLElement>) => void;
  "aria-describedby"?: string;
};

/** Above the element, or below it where that does not fit. */
function placeOf(element: HTMLElement): Place {
  const { left, width, top, bottom } = element.getBoundingClientRect();
  const center = left + width / 2;
  return top > 48 ? { left: center, bottom: window.innerHeight - top + GAP } : { left: center, top: bottom + GAP };
}

/** Moves a tooltip into the window, since its width is known only once it is drawn. */
function keepInside(tooltip: HTMLElement | null): void {
  if (!tooltip) return;
  const { left, right } = tooltip.getBoundingClientRect();
  const beyond = left < GAP ? left - GAP : Math.max(right + GAP - document.documentElement.clientWidth, 0);
  tooltip.style.translate = `${-beyond}px`;
}

/**
 * Explains an element while it is pointed at or focused. It weighs a tenth of Mantine's tooltip, and every page has some.
 * `label` may be a function, called only when it is shown.
 */
export function Tooltip({
  label,
  children,
}: {
  label: ReactNode | (() => ReactNode);
  children: ReactElement<Handlers>;
}) {
  const id = useId();
  const [place, setPlace] = useState<Place | null>(null);
  const own = children.props;
  const show = (event: SyntheticEvent<HTMLElement>) => setPlace(placeOf(event.currentTarget));
  const hide = () => setPlace(null);
  useEffect(() => {
    if (!place) return;
    const dismiss = (event: Event) => {
      if (!(event instanceof KeyboardEvent) || event.key === "Escape") setPlace(null);
    };
    document.addEventListener("keydown", dismiss);
    // The tooltip would stay where it is while the element scrolls away.
    document.addEventListener("scroll", dismiss, true);
    return () => {
      document.removeEventListener("keydown", dismiss);
      document.removeEventListener("scroll", dismiss, true);
    };
  }, [place]);
  return (
    <>
      {cloneElement(children, {
        onPointerEnter: (event) => {
          own.onPointerEnter?.(event);
          show(event);
        },
        onPointerLeave: (event) => {
          own.onPointerLeave?.(event);
          hide();
        },
        onFocus: (event) => {
          own.onFocus?.(event);
          if (event.currentTarget.matches(":focus-visible")) show(event);
        },
        onBlur: (event) => {
          own.onBlur?.(event);
          hide();
        },
        ...(place && { "aria-describedby": id }),
      })}
      {place && (
        <Portal>
          <div role="tooltip" id={id} ref={keepInside} className="tooltip" style={place}>
            {typeof label === "function" ? label() : label}
          </div>
        </Portal>
      )}
    </>
  );
}
