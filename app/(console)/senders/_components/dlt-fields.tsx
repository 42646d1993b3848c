import { Stack, TextInput } from "@mantine/core";
import type { UseFormReturnType } from "@mantine/form";
import { sendersTexts as texts } from "@/app/_texts/senders";
import { sharedTexts } from "@/app/_texts/shared";
import { Choice } from "@/app/_ui/forms/choice";
import type { Sender } from "@/server/senders/schema";

/** Ids of a registration in India, as a form has them; empty: none. */
export type DltValues = {
  dlt_entity_id: string;
  dlt_template_id: string;
  dlt_template_category: Sender["dlt_template_category"];
};

export const NO_DLT: DltValues = { dlt_entity_id: "", dlt_template_id: "", dlt_template_category: null };

/** Converts the values for the API, where null means none. */
export const dltInput = ({ dlt_entity_id, dlt_template_id, dlt_template_category }: DltValues) => ({
  dlt_entity_id: dlt_entity_id.trim() || null,
  dlt_template_id: dlt_template_id.trim() || null,
  dlt_template_category,
});

const categories = () => Object.entries(texts.dlt.categories).map(([value, label]) => ({ value, label }));

/** Ids of the registration in India (DLT), which carriers there want with each message. */
export function DltFields<Values extends DltValues>({ form }: { form: UseFormReturnType<Values> }) {
  return (
    <Stack gap="md">
      <TextInput
        label={texts.dlt.entityId}
        description={texts.dlt.entityIdHint}
        placeholder="1201159178492032504"
        inputMode="numeric"
        autoComplete="off"
        {...form.getInputProps("dlt_entity_id")}
      />
      <TextInput
        label={texts.dlt.templateId}
        description={texts.dlt.templateIdHint}
        placeholder="1107169175728319365"
        inputMode="numeric"
        autoComplete="off"
        {...form.getInputProps("dlt_template_id")}
      />
      <Choice
        label={texts.dlt.category}
        placeholder={sharedTexts.none}
        data={categories()}
        {...form.getInputProps("dlt_template_category")}
      />
    </Stack>
  );
}
