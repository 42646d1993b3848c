"use client";

import { Portal } from "@mantine/core";
import { cloneElement, type ReactElement, type ReactNode, type SyntheticEvent, useId, useState } from "react";

const GAP = 6;

type Place = { left: number; top?: number; bottom?: number };
type Handlers = {
  onPointerEnter?: (event: SyntheticEvent<HTMLElement>) => void;
  onPointerLeave?: (event: SyntheticEvent<HTMLElement>) => void;
  onFocus?: (event: SyntheticEvent<HTMLElement>) => void;
  onBlur?: (event: SyntheticEvent<HTMLElement>) => void;
  "aria-describedby"?: string;
};

/** Above the element, or below it where that does not fit; within the window. */
function placeOf(element: HTMLElement): Place {
  const { left, width, top, bottom } = element.getBoundingClientRect();
  const centre = Math.min(Math.max(left + width / 2, 60), window.innerWidth - 60);
  return top > 48 ? { left: centre, bottom: window.innerHeight - top + GAP } : { left: centre, top: bottom + GAP };
}

/**
 * Explains an element while it is pointed at or focused. A tenth of the weight of Mantine's, and every page has some.
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
          <div role="tooltip" id={id} className="tooltip" style={place}>
            {typeof label === "function" ? label() : label}
          </div>
        </Portal>
      )}
    </>
  );
}
