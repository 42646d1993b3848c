import { type UseFormInput, type UseFormReturnType, useForm } from "@mantine/form";
import { useEffect } from "react";

/** The values of a form, in which fields that nobody has edited take their stored values. */
export function following<Values extends Record<string, unknown>>(
  values: Values,
  stored: Values,
  isEdited: (name: string) => boolean,
): Values {
  const edited = Object.entries(values).filter(([name]) => isEdited(name));
  return { ...stored, ...Object.fromEntries(edited) };
}

/**
 * A form of stored settings. Saving sends all of its fields, so those that were not edited follow the stored values, which another
 * tab or person may have changed. Call `form.resetDirty(values)` once it is saved.
 */
export function useStoredForm<Values extends Record<string, unknown>>(
  stored: Values,
  options?: Omit<UseFormInput<Values>, "mode" | "initialValues">,
): UseFormReturnType<Values> {
  const form = useForm<Values>({ ...options, mode: "controlled", initialValues: stored });
  const text = JSON.stringify(stored);
  // biome-ignore lint/correctness/useExhaustiveDependencies: only the stored values matter, not when the page is rendered.
  useEffect(() => {
    form.setValues(following(form.getValues(), stored, form.isDirty));
    form.resetDirty(stored);
  }, [text]);
  return form;
}
