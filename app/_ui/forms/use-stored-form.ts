import { type UseFormInput, type UseFormReturnType, useForm } from "@mantine/form";
import { useEffect } from "react";

/** Values of a form of which those that nobody has edited follow what is stored. */
export function following<Values extends Record<string, unknown>>(
  values: Values,
  stored: Values,
  isEdited: (name: string) => boolean,
): Values {
  const edited = Object.entries(values).filter(([name]) => isEdited(name));
  return { ...stored, ...Object.fromEntries(edited) };
}

/**
 * A form of stored settings. Saving sends all of its fields, so those that were not edited follow what is stored: another tab or
 * another person may have changed it. Once it is saved, `form.resetDirty(values)` tells so.
 */
export function useStoredForm<Values extends Record<string, unknown>>(
  stored: Values,
  options?: Omit<UseFormInput<Values>, "mode" | "initialValues">,
): UseFormReturnType<Values> {
  const form = useForm<Values>({ ...options, mode: "controlled", initialValues: stored });
  const text = JSON.stringify(stored);
  // biome-ignore lint/correctness/useExhaustiveDependencies: only what is stored matters, not when the page is drawn.
  useEffect(() => {
    form.setValues(following(form.getValues(), stored, form.isDirty));
    form.resetDirty(stored);
  }, [text]);
  return form;
}
