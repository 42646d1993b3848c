"use client";

import { Checkbox, Fieldset, SimpleGrid, Stack, TagsInput, Text, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { apiKeyFormTexts as texts } from "@/app/_texts/api-keys/form";
import { sharedTexts } from "@/app/_texts/shared";
import { serverNow } from "@/app/_trpc/clock";
import { editedOnly } from "@/app/_ui/changes/edited-only";
import { DateInput, UNFINISHED } from "@/app/_ui/forms/date-input";
import { OnceAlert, SaveAlert } from "@/app/_ui/forms/error-alert";
import { FormButtons } from "@/app/_ui/forms/form-buttons";
import { NumberField } from "@/app/_ui/forms/number-field";
import { useFormErrors } from "@/app/_ui/forms/use-form-errors";
import { localDay } from "@/app/_ui/values/days";
import { type EnteredNumber, isNumber, numberOrNull, optionalNumberProblem } from "@/app/_ui/values/entered-number";
import type { ApiKey } from "@/server/api-keys/schema";
import { SCOPE_DESCRIPTIONS, SCOPES, type Scope } from "@/server/api-keys/scopes";

/** Preselected: enough to send and track messages, nothing that changes the account. */
const DEFAULT_SCOPES: Scope[] = ["sms:send", "sms:bulk", "sms:read", "balance:read", "dlr:read"];

type Values = {
  name: string;
  permissions: Scope[];
  rate_limit: EnteredNumber;
  daily_limit: EnteredNumber;
  monthly_limit: EnteredNumber;
  allowed_ips: string[];
  /** Last valid day, `YYYY-MM-DD`, in the browser's time zone; empty: none. */
  expires_at: string;
};

const EMPTY: Values = {
  name: "",
  permissions: DEFAULT_SCOPES,
  rate_limit: "",
  daily_limit: "",
  monthly_limit: "",
  allowed_ips: [],
  expires_at: "",
};

/** The last millisecond of a day in the browser's time zone, as ISO 8601. */
const endOfDay = (day: string) => new Date(`${day}T23:59:59.999`).toISOString();

const toInput = (values: Values) => ({
  name: values.name,
  permissions: values.permissions,
  rate_limit: numberOrNull(values.rate_limit) ?? undefined,
  daily_limit: numberOrNull(values.daily_limit),
  monthly_limit: numberOrNull(values.monthly_limit),
  allowed_ips: values.allowed_ips.length > 0 ? values.allowed_ips : null,
  expires_at: values.expires_at ? endOfDay(values.expires_at) : null,
});

/** Initial values of the form for an existing key. */
const valuesOf = (apiKey: ApiKey): Values => ({
  name: apiKey.name,
  permissions: apiKey.permissions,
  rate_limit: apiKey.rate_limit,
  daily_limit: apiKey.daily_limit ?? "",
  monthly_limit: apiKey.monthly_limit ?? "",
  allowed_ips: apiKey.allowed_ips ?? [],
  expires_at: apiKey.expires_at ? localDay(apiKey.expires_at) : "",
});

/** An expiry that was not edited stays exact; the field shows only its day. */
const keepExpiry = (input: Input, apiKey: ApiKey | undefined): Input =>
  apiKey?.expires_at && input.expires_at && valuesOf(apiKey).expires_at === localDay(input.expires_at)
    ? { ...input, expires_at: apiKey.expires_at }
    : input;

type Input = ReturnType<typeof toInput>;

/**
 * The form for a new key, or for the name and limits of one that exists: its permissions stay as they are.
 * @param save passes the input, and its edited fields, to the dialog's mutation, and reports an error to `onError`.
 */
export function ApiKeyForm({
  apiKey,
  save,
  busy,
  onCancel,
}: {
  apiKey?: ApiKey;
  save: (input: Input, edited: Partial<Input>, onError: (error: unknown) => void) => void;
  busy: boolean;
  onCancel: () => void;
}) {
  const form = useForm<Values>({
    initialValues: apiKey ? valuesOf(apiKey) : EMPTY,
    validate: {
      name: (name) => (name.trim() ? null : texts.enterName),
      permissions: (permissions) => (permissions.length > 0 ? null : texts.choosePermission),
      // For a new key an empty field means the default; for an existing one it would keep the stored number.
      rate_limit: (limit) => (apiKey && !isNumber(limit) ? texts.limits.enterRequests : optionalNumberProblem(limit)),
      daily_limit: optionalNumberProblem,
      monthly_limit: optionalNumberProblem,
      expires_at: (day) => (day === UNFINISHED ? texts.expiry.enterDate : null),
    },
  });
  const errors = useFormErrors(form);

  const submit = form.onSubmit((values) => {
    errors.clear();
    const input = keepExpiry(toInput(values), apiKey);
    save(input, editedOnly(form, input), errors.show);
  });

  return (
    <form onSubmit={submit} noValidate aria-label={apiKey ? texts.key : texts.newKey}>
      <Stack gap="md">
        {apiKey ? (
          <SaveAlert error={errors.unplaced} title={texts.notChanged} />
        ) : (
          <OnceAlert error={errors.unplaced} title={texts.notCreated} />
        )}
        <TextInput
          label={texts.name.label}
          description={texts.name.description}
          data-autofocus
          withAsterisk
          {...form.getInputProps("name")}
        />
        {!apiKey && (
          <Checkbox.Group label={texts.permissions} withAsterisk {...form.getInputProps("permissions")}>
            <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm" verticalSpacing="sm" mt="xs" mb={4}>
              {SCOPES.map((scope) => (
                <Checkbox
                  key={scope}
                  value={scope}
                  label={<span className="mono">{scope}</span>}
                  description={SCOPE_DESCRIPTIONS[scope]}
                />
              ))}
            </SimpleGrid>
          </Checkbox.Group>
        )}
        <Fieldset legend={texts.limits.title}>
          <SimpleGrid cols={{ base: 1, xs: 3 }} spacing="sm">
            <NumberField
              label={texts.limits.requestsPerMinute}
              placeholder={apiKey ? undefined : texts.limits.defaultLimit}
              {...form.getInputProps("rate_limit")}
            />
            <NumberField
              label={texts.limits.messagesPerDay}
              placeholder={texts.limits.noLimit}
              {...form.getInputProps("daily_limit")}
            />
            <NumberField
              label={texts.limits.messagesPerMonth}
              placeholder={texts.limits.noLimit}
              {...form.getInputProps("monthly_limit")}
            />
          </SimpleGrid>
          <Text size="xs" c="dimmed" mt="xs">
            {texts.limits.timeZone}
          </Text>
        </Fieldset>
        <Fieldset legend={texts.restrictions}>
          <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm">
            <TagsInput
              comboboxProps={{ keepMounted: false }}
              label={texts.addresses.label}
              description={texts.addresses.description}
              placeholder={form.values.allowed_ips.length === 0 ? texts.addresses.any : undefined}
              splitChars={[",", " ", ";"]}
              {...form.getInputProps("allowed_ips")}
            />
            <DateInput
              type="date"
              label={texts.expiry.label}
              description={texts.expiry.description}
              min={localDay(new Date(serverNow()))}
              {...form.getInputProps("expires_at")}
            />
          </SimpleGrid>
        </Fieldset>
        <FormButtons submit={apiKey ? sharedTexts.saveChanges : texts.submit} busy={busy} onCancel={onCancel} />
      </Stack>
    </form>
  );
}
