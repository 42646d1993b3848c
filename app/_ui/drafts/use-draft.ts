import type { UseFormReturnType } from "@mantine/form";
import { type RefObject, useEffect, useRef, useState } from "react";
import { pageOwner } from "@/app/_trpc/client";
import { keepDraft, placeOf, readDraft } from "./drafts";

/**
 * Keeps what is entered in a form for this tab, and gives it back when the form is shown again.
 * @param name of the form.
 * @param restore gets what was kept.
 * @param current what is to be kept; null: nothing. It is asked when the form is left.
 * @returns what drops the draft.
 */
export function useDraft<Draft>(name: string, restore: (draft: Draft) => void, current: () => Draft | null) {
  const latest = useRef({ restore, current });
  useEffect(() => {
    latest.current = { restore, current };
  });
  // In an effect: the server, which draws the first page, knows no drafts.
  useEffect(() => {
    const storage = window.sessionStorage;
    const place = placeOf(pageOwner(), name);
    const kept = readDraft(storage, place, Date.now());
    if (kept !== null) latest.current.restore(kept as Draft);
    const keep = () => keepDraft(storage, place, latest.current.current(), Date.now());
    // A phone may end a page that is out of sight without another word.
    window.addEventListener("pagehide", keep);
    document.addEventListener("visibilitychange", keep);
    return () => {
      keep();
      window.removeEventListener("pagehide", keep);
      document.removeEventListener("visibilitychange", keep);
    };
  }, [name]);
  /** Also once the form has been left: what it sent may be confirmed later. */
  const drop = () => keepDraft(window.sessionStorage, placeOf(pageOwner(), name), null, Date.now());
  return { drop };
}

type FormDraft<Values> = { fields: Partial<Values>; beside?: unknown };

/** A draft that was restored, and what drops it; see `DraftNote`. */
export type RestoredDraft = { isRestored: boolean; discard: () => void };

/**
 * Keeps the edited fields of a form; see `useDraft`.
 * @param untouched the values that the form begins with.
 * @param beside is kept with them.
 * @param isDone the form was sent: nothing is kept any more.
 * @param isUsable whether a field may be restored; what it chose from may have changed.
 */
export function useFormDraft<Values extends Record<string, unknown>>(
  name: string,
  form: UseFormReturnType<Values>,
  untouched: Values,
  {
    beside,
    isDone = false,
    isUsable = () => true,
  }: {
    beside?: RefObject<unknown>;
    isDone?: boolean;
    isUsable?: (field: string, value: unknown) => boolean;
  } = {},
): RestoredDraft & { drop: () => void } {
  const [isRestored, setRestored] = useState(false);
  const ownFields = (values: Partial<Values>, isOwn: (field: string, value: unknown) => boolean) =>
    Object.fromEntries(Object.entries(values).filter(([field, value]) => isOwn(field, value))) as Partial<Values>;
  const { drop } = useDraft<FormDraft<Values>>(
    name,
    (draft) => {
      const fields = ownFields(draft.fields, (field, value) => field in untouched && isUsable(field, value));
      if (beside) beside.current = draft.beside ?? null;
      if (Object.keys(fields).length === 0) return;
      form.setValues(fields);
      setRestored(true);
    },
    () => {
      const fields = ownFields(form.getValues(), form.isDirty);
      if (isDone || (Object.keys(fields).length === 0 && !beside?.current)) return null;
      return { fields, beside: beside?.current };
    },
  );
  // Saved, or undone: what is edited next is no draft.
  if (isRestored && !form.isDirty()) setRestored(false);
  return {
    isRestored,
    drop,
    discard: () => {
      if (beside) beside.current = null;
      form.setValues(untouched);
      form.clearErrors();
      setRestored(false);
    },
  };
}
