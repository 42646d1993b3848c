"use client";

import { Skeleton, Stack, Text, TextInput } from "@mantine/core";
import type { UseFormReturnType } from "@mantine/form";
import { Suspense, useEffect, useMemo, useState } from "react";
import { currentLocale } from "@/app/_texts/language";
import { sendingLimitsTexts } from "@/app/_texts/settings/sending-limits";
import { trpc } from "@/app/_trpc/client";
import { isHeld } from "@/app/_ui/changes/outcome";
import { useChange } from "@/app/_ui/changes/use-change";
import { lazily } from "@/app/_ui/connection/connection";
import { useLeaveQuestion } from "@/app/_ui/drafts/use-leave-question";
import { Choice } from "@/app/_ui/forms/choice";
import { SaveAlert } from "@/app/_ui/forms/error-alert";
import { useFormErrors } from "@/app/_ui/forms/use-form-errors";
import { useStoredForm } from "@/app/_ui/forms/use-stored-form";
import { Notice } from "@/app/_ui/notice";
import { toastDone } from "@/app/_ui/toast";
import { countryNameOrCode } from "@/app/_ui/values/country-name";
import type { Account } from "@/server/accounts/schema";
import { type EnteredRule, enteredOf, ruleOf, without } from "./country-rule";
import { SendingCard, sendingGuide } from "./sending-card";
import { SentCountriesNote } from "./sent-countries-note";

const CountrySelect = lazily(() => import("./country-select").then((file) => ({ default: file.CountrySelect })));

/** Height of the select with its label, so that nothing moves when it is loaded. */
const SELECT_HEIGHT = 61;
const NAMED_MAX = 12;

/** The countries that the operator allows, in words. */
function operatorText(allowed: readonly string[]): string {
  const texts = sendingLimitsTexts.countries;
  if (allowed.length === 0) return texts.operatorAllowsAll;
  const names = allowed.map(countryNameOrCode).sort((one, other) => one.localeCompare(other, currentLocale()));
  return texts.operatorAllows(names.slice(0, NAMED_MAX).join(", "), Math.max(0, names.length - NAMED_MAX));
}

type Option = { value: string; label: string };

/** Countries by name. */
const optionsOf = (countries: readonly string[]): Option[] =>
  countries
    .map((code) => ({ value: code, label: sendingLimitsTexts.countries.nameAndCode(countryNameOrCode(code), code) }))
    .sort((one, other) => one.label.localeCompare(other.label, currentLocale()));

/** The chosen countries for a person who may not change them. */
function NamedCountries({ title, options, chosen }: { title: string; options: Option[]; chosen: readonly string[] }) {
  const names = options.filter(({ value }) => chosen.includes(value)).map(({ label }) => label);
  return (
    <Stack gap={4}>
      <Text size="sm" fw={500}>
        {title}
      </Text>
      <Text size="sm">{names.join(", ")}</Text>
    </Stack>
  );
}

/**
 * Takes a country out of the form, once for the link that led here. Saving is left to the owner.
 * @returns the country, until `forget` is called; null: none, or it was not in the form.
 */
function useRemoved(form: UseFormReturnType<EnteredRule>, removed: string | null) {
  const [marked, setMarked] = useState<string | null>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for the link, not whenever the form changes.
  useEffect(() => {
    if (removed === null) return;
    const next = without(form.getValues(), removed);
    if (isHeld(form.getValues(), next)) return;
    form.setValues(next);
    setMarked(removed);
  }, [removed]);
  return { marked, forget: () => setMarked(null) };
}

/**
 * Countries that the account sends to, as its owners set them, within those of the operator.
 * @param removed a country that a link here takes out of them; null: none.
 */
export function CountriesCard({
  limits,
  countries,
  removed,
  canEdit,
}: {
  limits: Account["sending_limits"];
  countries: readonly string[];
  removed: string | null;
  canEdit: boolean;
}) {
  const texts = sendingLimitsTexts.countries;
  const utils = trpc.useUtils();
  const save = useChange(utils.client.accounts.setCountries.mutate, {
    look: async (asked) => {
      const account = await utils.client.accounts.get.query();
      return isHeld(account.sending_limits, asked) ? account : undefined;
    },
    late: { failed: texts.notSaved },
    onSettled: () => void utils.accounts.get.invalidate(),
  });
  const stored = enteredOf(limits.countries);
  const form = useStoredForm<EnteredRule>(stored, {
    validate: {
      countries: (chosen, { rule }) => (rule !== "all" && chosen.length === 0 ? texts.chooseOne : null),
    },
  });
  useLeaveQuestion(form.isDirty());
  const errors = useFormErrors(form);
  const { marked, forget } = useRemoved(form, canEdit ? removed : null);
  const isAllowed = (code: string) =>
    limits.operator.allowed_countries.length === 0 || limits.operator.allowed_countries.includes(code);
  const options = useMemo(() => optionsOf(countries), [countries]);
  const { rule } = form.values;
  const isChosen = (code: string) => form.values.countries.includes(code);
  const submit = form.onSubmit((values) => {
    errors.clear();
    save.mutate(
      { countries: ruleOf(values) },
      {
        onSuccess: () => {
          form.resetDirty(values);
          forget();
          toastDone(texts.saved);
        },
        onError: errors.show,
      },
    );
  });
  return (
    <SendingCard
      id="countries"
      title={texts.title}
      explanation={texts.explanation(sendingGuide("your-own-limits"))}
      onSubmit={submit}
      submit={canEdit ? texts.submit : null}
      isBusy={save.isPending}
      reserved={sendingLimitsTexts.ownersOnly}
    >
      <Text size="sm">{operatorText(limits.operator.allowed_countries)}</Text>
      <SaveAlert error={errors.unplaced} title={texts.notSaved} isStored={isHeld(limits, save.variables)} />
      {marked !== null && form.isDirty() && (
        <Notice title={texts.marked(countryNameOrCode(marked))}>
          <Text size="sm">{texts.markedHint}</Text>
        </Notice>
      )}
      {canEdit ? (
        <Choice
          label={texts.rule}
          data={(["all", "only", "except"] as const).map((value) => ({ value, label: texts.rules[value] }))}
          value={rule}
          onChange={(value) => form.setFieldValue("rule", (value ?? "all") as EnteredRule["rule"])}
        />
      ) : (
        <TextInput label={texts.rule} readOnly value={texts.rules[rule]} />
      )}
      {rule !== "all" && !canEdit && (
        <NamedCountries
          title={rule === "only" ? texts.allowed : texts.excluded}
          options={options}
          chosen={form.values.countries}
        />
      )}
      {rule !== "all" && canEdit && (
        <Suspense fallback={<Skeleton height={SELECT_HEIGHT} />}>
          <CountrySelect
            label={rule === "only" ? texts.allowed : texts.excluded}
            data={rule === "only" ? options.filter(({ value }) => isAllowed(value) || isChosen(value)) : options}
            {...form.getInputProps("countries")}
          />
        </Suspense>
      )}
      {canEdit && (
        <SentCountriesNote
          removed={removed}
          isAllowed={isAllowed}
          onChoose={(chosen) => form.setValues({ rule: "only", countries: chosen })}
        />
      )}
    </SendingCard>
  );
}
