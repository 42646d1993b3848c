"use client";

import type { ModalProps } from "@mantine/core";
import { Suspense, useRef } from "react";
import { sharedTexts } from "@/app/_texts/shared";
import { lazily } from "@/app/_ui/connection/connection";

const Modal = lazily(() => import("./modal"));

/** A Mantine `Modal` that is loaded when it is first opened. */
export function LazyModal(props: ModalProps) {
  const wasOpened = useRef(false);
  if (props.opened) wasOpened.current = true;
  if (!wasOpened.current) return null;
  return (
    <Suspense>
      <Modal closeButtonProps={{ "aria-label": sharedTexts.close }} {...props} />
    </Suspense>
  );
}
