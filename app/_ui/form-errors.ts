import { apiErrorOf } from "./api-error";

/** The part of a form that complaints are shown in. */
type MarkedForm = { values: object; setErrors: (errors: Record<string, string>) => void };

/** "to must be a number" -> "Must be a number": at the field, its name is told by the label. */
function withoutName(param: string, text: string): string {
  const rest = text.startsWith(`${param} `) || text.startsWith(`${param}: `) ? text.slice(text.indexOf(" ") + 1) : text;
  return rest.charAt(0).toUpperCase() + rest.slice(1);
}

/** What the API complains of at one field, for reads that judge a field before the form is sent. */
export function complaintAbout(field: string, error: unknown): string | undefined {
  const text = apiErrorOf(error).fields[field];
  return text === undefined ? undefined : withoutName(field, text);
}

/** `allowed_ips[1]` of a list is shown at the list, led by the entry it is about. */
function complaintAt(values: object, param: string, text: string): { field: string; text: string } | null {
  const [, field, index] = /^(\w+)(?:\[(\d+)\])?$/.exec(param) ?? [];
  if (field === undefined || !(field in values)) return null;
  const entries: unknown = Object.entries(values).find(([name]) => name === field)?.[1];
  const entry: unknown = index !== undefined && Array.isArray(entries) ? entries[Number(index)] : undefined;
  return { field, text: typeof entry === "string" ? `“${entry}”: ${text}` : withoutName(param, text) };
}

/**
 * Shows what the API complains of at the fields that it names; fields are named as in the API.
 * @returns whether all of it found its field; when not, the form has to show the error itself.
 */
export function markFields(form: MarkedForm, error: unknown): boolean {
  const complaints = Object.entries(apiErrorOf(error).fields).map(([param, text]) =>
    complaintAt(form.values, param, text),
  );
  const errors: Record<string, string> = {};
  for (const complaint of complaints) if (complaint) errors[complaint.field] ??= complaint.text;
  form.setErrors(errors);
  return complaints.length > 0 && complaints.every((complaint) => complaint !== null);
}
