"use client";

import { useNotifications } from "@mantine/notifications";
import { Suspense, useRef, useSyncExternalStore } from "react";
import { lazily } from "../connection/connection";
import { closeDialog, dialogStore, dropDialog } from "../forms/dialogs";
import { LazyModal } from "../forms/lazy-modal";

const Notifications = lazily(() => import("./toasts"));
const NONE = dialogStore.read();

/** Mantine returns the focus ten milliseconds after a dialog has closed, if it still exists; with reduced motion it fades out at once. */
const DROP_AFTER_MS = 100;

/** The dialogs that functions have opened, and the toasts. Both are loaded when the first one is shown. */
export function Overlays() {
  const dialogs = useSyncExternalStore(dialogStore.subscribe, dialogStore.read, () => NONE);
  const { notifications } = useNotifications();
  const hadToast = useRef(false);
  if (notifications.length > 0) hadToast.current = true;
  return (
    <>
      {dialogs.map(({ id, title, content, isOpen, canBeDismissed, returnsFocus }) => (
        <LazyModal
          key={id}
          opened={isOpen}
          onClose={() => closeDialog(id)}
          onExitTransitionEnd={() => setTimeout(dropDialog, DROP_AFTER_MS, id)}
          title={title}
          returnFocus={returnsFocus}
          withCloseButton={canBeDismissed}
          closeOnEscape={canBeDismissed}
          closeOnClickOutside={canBeDismissed}
        >
          {content}
        </LazyModal>
      ))}
      {hadToast.current && (
        <Suspense>
          <Notifications position="top-left" containerWidth={360} limit={4} className="toasts" />
        </Suspense>
      )}
    </>
  );
}
