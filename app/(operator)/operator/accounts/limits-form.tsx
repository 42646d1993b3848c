"use client";

import { MultiSelect, SimpleGrid, Stack } from "@mantine/core";
import { useMemo } from "react";
import { currentLocale } from "@/app/_texts/language";
import { limitsFormTexts as texts } from "@/app/_texts/operator/limits-form";
import { trpc } from "@/app/_trpc/client";
import { ifHolds } from "@/app/_ui/changes/outcome";
import { useChange } from "@/app/_ui/changes/use-change";
import { SaveAlert } from "@/app/_ui/forms/error-alert";
import { FormButtons } from "@/app/_ui/forms/form-buttons";
import { NumberField } from "@/app/_ui/forms/number-field";
import { useFormErrors } from "@/app/_ui/forms/use-form-errors";
import { useStoredForm } from "@/app/_ui/forms/use-stored-form";
import { toastDone } from "@/app/_ui/toast";
import { countryNameOrCode } from "@/app/_ui/values/country-name";
import { type EnteredNumber, numberOrNull, optionalNumberProblem } from "@/app/_ui/values/entered-number";
import type { OperatedAccount } from "@/server/operator/schema";

type Values = {
  allowed_countries: string[];
  flood_identical: EnteredNumber;
  flood_total: EnteredNumber;
  daily_spend_cap: EnteredNumber;
};

const DECIMALS = 6;
const OPTIONS_SHOWN_MAX = 60;

/** The fields of the limits of an account: countries, messages per number, spending per day. */
export function LimitsForm({
  account,
  countries,
  onDone,
}: {
  account: OperatedAccount;
  countries: readonly string[];
  onDone: () => void;
}) {
  const utils = trpc.useUtils();
  const options = useMemo(
    () =>
      countries
        .map((code) => ({ value: code, label: `${countryNameOrCode(code)} (${code})` }))
        .sort((one, other) => one.label.localeCompare(other.label, currentLocale())),
    [countries],
  );
  const form = useStoredForm<Values>(
    {
      allowed_countries: account.allowed_countries,
      flood_identical: account.flood_identical ?? "",
      flood_total: account.flood_total ?? "",
      daily_spend_cap: account.daily_spend_cap ?? "",
    },
    {
      validate: {
        flood_identical: optionalNumberProblem,
        flood_total: optionalNumberProblem,
        daily_spend_cap: optionalNumberProblem,
      },
    },
  );
  const errors = useFormErrors(form);
  const limit = useChange(utils.client.operator.limitAccount.mutate, {
    look: async ({ account_id, ...limits }) =>
      ifHolds(await utils.client.operator.account.query({ account_id }), limits),
    onSuccess: ({ name, company_name }) => toastDone(texts.saved(company_name || name)),
    late: { failed: texts.notSaved },
    onSettled: () => void utils.operator.invalidate(),
  });
  const submit = form.onSubmit((values) => {
    errors.clear();
    limit.mutate(
      {
        account_id: account.id,
        // As they are stored.
        allowed_countries: [...values.allowed_countries].sort(),
        flood_identical: numberOrNull(values.flood_identical),
        flood_total: numberOrNull(values.flood_total),
        daily_spend_cap: numberOrNull(values.daily_spend_cap),
      },
      { onSuccess: onDone, onError: errors.show },
    );
  });
  return (
    <form onSubmit={submit} noValidate aria-label={texts.form}>
      <Stack gap="md">
        <MultiSelect
          label={texts.allowedCountries}
          description={texts.emptyForAll}
          placeholder={form.values.allowed_countries.length === 0 ? texts.allCountries : undefined}
          data={options}
          limit={OPTIONS_SHOWN_MAX}
          searchable
          clearable
          hidePickedOptions
          clearButtonProps={{ "aria-label": texts.allowAllCountries }}
          {...form.getInputProps("allowed_countries")}
        />
        <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="md">
          <NumberField
            label={texts.identicalTexts}
            description={texts.perHour}
            {...form.getInputProps("flood_identical")}
          />
          <NumberField label={texts.messages} description={texts.perHour} {...form.getInputProps("flood_total")} />
        </SimpleGrid>
        <NumberField
          label={texts.dailyCapIn(account.currency)}
          description={texts.perDay}
          decimals={DECIMALS}
          {...form.getInputProps("daily_spend_cap")}
        />
        <SaveAlert error={errors.unplaced} title={texts.notSaved} />
        <FormButtons submit={texts.submit} busy={limit.isPending} onCancel={onDone} />
      </Stack>
    </form>
  );
}
