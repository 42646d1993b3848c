import type { UseFormReturnType } from "@mantine/form";
import { type RefObject, useEffect, useRef, useState } from "react";
import { pageOwner } from "@/app/_trpc/client";
import { keepDraft, placeOf, readDraft } from "./drafts";

/**
 * Keeps what is entered in a form for this tab, and restores it when the form is shown again.
 * @param name of the form.
 * @param restore receives what was kept.
 * @param current returns what to keep, null for nothing; it is called when the form is left.
 * @returns a function that drops the draft.
 */
export function useDraft<Draft>(name: string, restore: (draft: Draft) => void, current: () => Draft | null) {
  const latest = useRef({ restore, current });
  useEffect(() => {
    latest.current = { restore, current };
  });
  // In an effect, because the server, which renders the first page, knows no drafts.
  useEffect(() => {
    const storage = window.sessionStorage;
    const place = placeOf(pageOwner(), name);
    const kept = readDraft(storage, place, Date.now());
    if (kept !== null) latest.current.restore(kept as Draft);
    const keep = () => keepDraft(storage, place, latest.current.current(), Date.now());
    // A phone may end a page in the background without any later event.
    window.addEventListener("pagehide", keep);
    document.addEventListener("visibilitychange", keep);
    return () => {
      keep();
      window.removeEventListener("pagehide", keep);
      document.removeEventListener("visibilitychange", keep);
    };
  }, [name]);
  /** Works after the form was left, too: what it sent may be confirmed later. */
  const drop = () => keepDraft(window.sessionStorage, placeOf(pageOwner(), name), null, Date.now());
  return { drop };
}

type FormDraft<Values> = { fields: Partial<Values>; beside?: unknown };

/** Whether a draft was restored, and the function that drops it; see `DraftNote`. */
export type RestoredDraft = { isRestored: boolean; discard: () => void };

/**
 * Keeps the edited fields of a form; see `useDraft`.
 * @param untouched the values that the form begins with.
 * @param beside a value that is kept with them.
 * @param isDone whether the form was sent, so that nothing is kept any more.
 * @param isUsable returns whether a field may be restored: its choices may have changed.
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
  // The entries were saved or undone: what is edited next is no restored draft.
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
