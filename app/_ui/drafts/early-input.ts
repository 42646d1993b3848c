type Field = HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement;
type TextField = HTMLInputElement | HTMLTextAreaElement;

/** Fields whose value no script may set, or that have none. */
const UNTOUCHED = new Set(["file", "hidden", "submit", "button", "reset", "image"]);

const isCheck = (field: Field): field is HTMLInputElement =>
  field instanceof HTMLInputElement && (field.type === "checkbox" || field.type === "radio");

/** Clicks a box that was ticked early, or not, from the state in which it was sent. */
function checkAgain(field: HTMLInputElement): (() => void) | null {
  const { checked, defaultChecked, type } = field;
  if (checked === defaultChecked || (type === "radio" && !checked)) return null;
  return () => {
    field.checked = defaultChecked;
    field.click();
  };
}

/** Reports an option that was chosen early. */
function chooseAgain(field: HTMLSelectElement): (() => void) | null {
  const options = Array.from(field.options);
  // Without a selected option a browser shows the first.
  const sent = options.find((option) => option.defaultSelected) ?? options[0];
  const { value } = field;
  if (!sent || field.multiple || value === sent.value) return null;
  return () => {
    field.value = value;
    field.dispatchEvent(new Event("change", { bubbles: true }));
  };
}

/**
 * Reports a text that was entered early. React notes each value that a script sets, and ignores events whose value it knows. So the
 * text is set past React, by the browser's own setter.
 */
function enterAgain(field: TextField): (() => void) | null {
  const { value: early, defaultValue, selectionStart, selectionEnd, selectionDirection } = field;
  if (early === defaultValue) return null;
  const own = field instanceof HTMLInputElement ? HTMLInputElement.prototype : HTMLTextAreaElement.prototype;
  return () => {
    // Another key may have been pressed meanwhile.
    if (field.value !== early && field.value !== defaultValue) return;
    field.value = defaultValue;
    Object.getOwnPropertyDescriptor(own, "value")?.set?.call(field, early);
    if (selectionStart !== null) field.setSelectionRange(selectionStart, selectionEnd, selectionDirection ?? undefined);
    field.dispatchEvent(new Event("input", { bubbles: true }));
  };
}

function replayOf(field: Field): (() => void) | null {
  if (UNTOUCHED.has(field.type)) return null;
  if (isCheck(field)) return checkAgain(field);
  return field instanceof HTMLSelectElement ? chooseAgain(field) : enterAgain(field);
}

/**
 * Reports what people have entered before the scripts of the page were loaded. React takes over the fields as they are, but learns only
 * of later changes: a filter would show a text by which the list is not filtered. Call it in an effect, once the page is taken over.
 * @returns a function that prevents it.
 */
export function replayEarlyInput(): () => void {
  const fields = Array.from(document.querySelectorAll<Field>("input, textarea, select"));
  // Read now, because the next render resets the fields. Reported later, because within an effect React would render a change only
  // afterwards, and until then reset the field, which moves the cursor.
  const replays = fields.flatMap((field) => replayOf(field) ?? []);
  const timer = setTimeout(() => {
    for (const replay of replays) replay();
  });
  return () => clearTimeout(timer);
}
