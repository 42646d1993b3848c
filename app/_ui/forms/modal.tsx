"use client";

import { Modal, type ModalProps } from "@mantine/core";
import { useOpenAfterMount } from "../frame/use-open-after-mount";

/** The `Modal` of a dialog, in a file of its own that is loaded when the first one opens. */
export default function LoadedModal({ opened, ...props }: ModalProps) {
  return <Modal opened={useOpenAfterMount(opened)} {...props} />;
}
