/**
 * The fields of an input that were edited in its form, where they have the same names. A change without the others keeps what
 * somebody else has stored there since the form was opened.
 */
export const editedOnly = <Input extends object>(
  form: { isDirty: (field: string) => boolean },
  input: Input,
): Partial<Input> =>
  Object.fromEntries(Object.entries(input).filter(([field]) => form.isDirty(field))) as Partial<Input>;
