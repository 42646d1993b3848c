import { apiErrorOf } from "./api-error";

/** The part of a form that shows its errors. */
export type FormWithErrors = { values: object; setErrors: (errors: Record<string, string>) => void };

/** "to must be a number" -> "Must be a number": the label already names the field. */
function withoutName(param: string, text: string): string {
  const rest = text.startsWith(`${param} `) || text.startsWith(`${param}: `) ? text.slice(text.indexOf(" ") + 1) : text;
  return rest.charAt(0).toUpperCase() + rest.slice(1);
}

/** The API's error for one field, for queries that check a field before the form is submitted. */
export function fieldError(field: string, error: unknown): string | undefined {
  const text = apiErrorOf(error).fields[field];
  return text === undefined ? undefined : withoutName(field, text);
}

/** The field and the text for an error. An error of a list entry, `allowed_ips[1]`, is shown at the list and quotes the entry. */
function placeError(values: object, param: string, text: string): { field: string; text: string } | null {
  const [, field, index] = /^(\w+)(?:\[(\d+)\])?$/.exec(param) ?? [];
  if (field === undefined || !(field in values)) return null;
  const entries: unknown = Object.entries(values).find(([name]) => name === field)?.[1];
  const entry: unknown = index !== undefined && Array.isArray(entries) ? entries[Number(index)] : undefined;
  return { field, text: typeof entry === "string" ? `“${entry}”: ${text}` : withoutName(param, text) };
}

/**
 * Shows the API's errors at the fields that they name; form fields have the same names as in the API.
 * @returns whether every error has a field; if not, the form must show the error itself.
 */
export function markFields(form: FormWithErrors, error: unknown): boolean {
  const placed = Object.entries(apiErrorOf(error).fields).map(([param, text]) => placeError(form.values, param, text));
  const errors: Record<string, string> = {};
  for (const entry of placed) if (entry) errors[entry.field] ??= entry.text;
  form.setErrors(errors);
  return placed.length > 0 && placed.every((entry) => entry !== null);
}
