"use client";

import type { ModalProps } from "@mantine/core";
import { Suspense, useRef, useSyncExternalStore } from "react";
import { sharedTexts } from "@/app/_texts/shared";
import { lazily } from "@/app/_ui/connection/connection";
import { dialogStore } from "./dialogs";

const Modal = lazily(() => import("./modal"));
const isNoneAsking = () => dialogStore.read().every(({ isOpen }) => !isOpen);
const isNoneAskingYet = () => true;

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

/** A dialog of a page. A question that stands above it takes Escape for itself. */
export function Dialog(props: ModalProps) {
  const isOnTop = useSyncExternalStore(dialogStore.subscribe, isNoneAsking, isNoneAskingYet);
  return <LazyModal {...props} closeOnEscape={props.closeOnEscape !== false && isOnTop} />;
}
