"use client";

import type { ModalProps } from "@mantine/core";
import { lazy, Suspense, useRef } from "react";

const Modal = lazy(() => import("./modal"));

/** A Mantine `Modal` that is loaded when it is first opened. */
export function LazyModal(props: ModalProps) {
  const wasOpened = useRef(false);
  if (props.opened) wasOpened.current = true;
  if (!wasOpened.current) return null;
  return (
    <Suspense>
      <Modal closeButtonProps={{ "aria-label": "Close" }} {...props} />
    </Suspense>
  );
}
