"use client";

import { Modal, type ModalProps } from "@mantine/core";
import { useOpenAfterMount } from "../frame/use-open-after-mount";

/** Mantine's `Modal`, in a separate file that is loaded when the first dialog opens. */
export default function LoadedModal({ opened, ...props }: ModalProps) {
  return <Modal opened={useOpenAfterMount(opened)} {...props} />;
}
