"use client";

import type { ModalProps } from "@mantine/core";
import { useSyncExternalStore } from "react";
import { dialogStore } from "../forms/dialogs";
import { LazyModal } from "./lazy-modal";

const hasQuestion = () => dialogStore.read().some(({ isOpen }) => isOpen);

/** A dialog of a page. A question that stands above it takes Escape for itself. */
export function Dialog(props: ModalProps) {
  const isAsked = useSyncExternalStore(dialogStore.subscribe, hasQuestion, () => false);
  return <LazyModal {...props} closeOnEscape={props.closeOnEscape !== false && !isAsked} />;
}
