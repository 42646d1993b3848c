"use client";

import { useDisclosure } from "@mantine/hooks";
import { useMayChange } from "@/app/_shell/may-change";
import { useUrlState } from "../lists/use-url-state";

const CREATE = "create";

/** The address of a page with its create dialog open. */
export const createAt = (page: string): string => `${page}?${CREATE}=yes`;

/** Whether a page's create dialog was opened by a button or by the address; never for people who only read. */
export function useCreateDialog() {
  const { params, change } = useUrlState();
  const mayChange = useMayChange();
  const [isOpen, dialog] = useDisclosure(false);
  return [
    mayChange && (isOpen || params.get(CREATE) === "yes"),
    {
      open: dialog.open,
      close: () => {
        dialog.close();
        if (params.has(CREATE)) change({ [CREATE]: undefined }, "replace");
      },
    },
  ] as const;
}
