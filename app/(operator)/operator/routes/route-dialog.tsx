"use client";

import { useRef } from "react";
import { routesTexts as texts } from "@/app/_texts/operator/routes";
import { lazily } from "@/app/_ui/connection/connection";
import { FormModal } from "@/app/_ui/forms/form-modal";
import type { KeptKeys } from "@/app/_ui/forms/use-idempotency-key";
import type { OperatedRoute } from "@/server/routing/schema";
import { destinationOf } from "./route-columns";

const RouteForm = lazily(() => import("./route-form").then((file) => ({ default: file.RouteForm })));

/** The route being edited; null: the dialog is closed. */
export type EditedRoute = OperatedRoute | "new" | null;

/** Adds or edits a route. Its fields are loaded when it opens first. */
export function RouteDialog({ edited, onClose }: { edited: EditedRoute; onClose: () => void }) {
  const title = edited === "new" || edited === null ? texts.edit.add : texts.edit.titleFor(destinationOf(edited));
  // They outlive the form: a route whose response was lost, and that is entered once more, is still added once.
  const usedKeys = useRef<KeptKeys>({});
  return (
    <FormModal opened={edited !== null} onClose={onClose} title={title}>
      {edited !== null && <RouteForm route={edited === "new" ? null : edited} usedKeys={usedKeys} onDone={onClose} />}
    </FormModal>
  );
}
