"use client";

import { Notifications, type NotificationsProps } from "@mantine/notifications";
import { useEffect } from "react";
import { watchToasts } from "./hold-toasts";

/** Mantine's toasts. They cannot be dragged away, because their text can be selected. */
export default function Toasts(props: NotificationsProps) {
  useEffect(watchToasts, []);
  return <Notifications allowDragDismiss={false} allowScrollDismiss={false} {...props} />;
}
