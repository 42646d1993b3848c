"use client";

import { Button, Card, Group, PasswordInput, Stack, Text, TextInput, Title } from "@mantine/core";
import type { useForm } from "@mantine/form";
import { providerTexts } from "@/app/_texts/operator/provider";
import { trpc } from "@/app/_trpc/client";
import { cannotTell, ifHolds, isHeld } from "@/app/_ui/changes/outcome";
import { useChange } from "@/app/_ui/changes/use-change";
import { useLeaveQuestion } from "@/app/_ui/drafts/use-leave-question";
import { confirmAction } from "@/app/_ui/forms/confirm";
import { SaveAlert } from "@/app/_ui/forms/error-alert";
import { useFormErrors } from "@/app/_ui/forms/use-form-errors";
import { useStoredForm } from "@/app/_ui/forms/use-stored-form";
import { toastDone, toastFailed } from "@/app/_ui/toast";
import { PROVIDER_NAMES } from "@/app/_ui/values/provider-name";
import type {
  ProviderDetail,
  ProviderPath,
  ProviderSetting,
  SaveProviderSettingsInput,
} from "@/server/providers/operator-schema";

/** null: the stored secret is removed when the form is saved. */
type Values = Record<string, string | null>;

const valuesOf = (settings: readonly ProviderSetting[]): Values =>
  Object.fromEntries(settings.map(({ name, value }) => [name, value ?? ""]));

const ABBREVIATIONS = new Set(["api", "id", "npi", "sid", "ton", "url"]);

/** `accountSid` -> `Account SID`. */
function labelOf(name: string): string {
  const words = name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`).split(" ");
  const text = words.map((word) => (ABBREVIATIONS.has(word) ? word.toUpperCase() : word)).join(" ");
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** Capitalizes a description, unless it begins with a name such as `smpp://…`. */
const sentence = (text: string): string =>
  text.replace(/^[a-z]+ /, (word) => word.charAt(0).toUpperCase() + word.slice(1));

/** Turns the sandbox on. */
const SANDBOX_VARIABLE = "SANDBOX";

/** Credentials and settings of a provider. Secrets can be set or replaced, but are never shown. */
export function SettingsCard({ provider }: { provider: ProviderDetail }) {
  const { settings, source } = provider;
  const texts = providerTexts.settings;
  return (
    <Card component="section" aria-labelledby="settings">
      <Stack gap="md">
        <Title order={2} size="h4" id="settings">
          {texts.title}
        </Title>
        {settings.length === 0 ? (
          <Text size="sm" c="dimmed">
            {texts.none(<span className="mono">{SANDBOX_VARIABLE}</span>)}
          </Text>
        ) : (
          <>
            <Text size="sm" c="dimmed">
              {source ? texts.origins[source] : texts.enterCredentials}
            </Text>
            <SettingsForm provider={provider} />
          </>
        )}
      </Stack>
    </Card>
  );
}

function SettingsForm({ provider: { id, settings, source } }: { provider: ProviderDetail }) {
  const texts = providerTexts.settings;
  const utils = trpc.useUtils();
  const form = useStoredForm<Values>(valuesOf(settings));
  const errors = useFormErrors(form);
  useLeaveQuestion(form.isDirty());

  /** Shows what is known to be stored, with the fields of secrets empty. The page loads it again; if that fails, it is stored all the same. */
  function showStored(values: Values) {
    form.setValues(values);
    form.resetDirty(values);
  }
  const read = async () => utils.client.operator.providers.get.query({ id });
  const onSettled = () => void utils.operator.providers.invalidate();
  const save = useChange(
    (asked: SaveProviderSettingsInput) => utils.client.operator.providers.saveSettings.mutate(asked).then(() => null),
    {
      look: async ({ settings: asked }) => {
        // Secrets are never shown.
        if (settings.some(({ name, is_secret }) => is_secret && asked[name] !== "")) cannotTell();
        return ifHolds(valuesOf((await read()).settings), asked) ? null : undefined;
      },
      onSuccess: (_, { settings: saved }) => {
        toastDone(texts.saved(PROVIDER_NAMES[id]));
        showStored(
          Object.fromEntries(settings.map(({ name, is_secret }) => [name, is_secret ? "" : (saved[name] ?? "")])),
        );
      },
      late: { failed: texts.notSaved },
      onSettled,
    },
  );
  const clear = useChange(
    (asked: ProviderPath) => utils.client.operator.providers.clearSettings.mutate(asked).then(() => null),
    {
      look: async () => ((await read()).source === "operator" ? undefined : null),
      onSuccess: () => {
        toastDone(texts.deleted(PROVIDER_NAMES[id]));
        showStored(valuesOf(settings));
      },
      onError: toastFailed,
      onSettled,
    },
  );
  const submit = form.onSubmit((values) => {
    errors.clear();
    save.mutate({ id, settings: values }, { onError: errors.show });
  });
  const askToClear = () =>
    confirmAction({
      title: texts.askToDelete,
      children: texts.deletion(PROVIDER_NAMES[id]),
      confirmLabel: texts.delete,
      onConfirm: () => clear.mutate({ id }),
    });

  return (
    <form onSubmit={submit} noValidate autoComplete="off" aria-label={texts.form}>
      <Stack gap="md">
        {settings.map((setting) => (
          <SettingInput
            key={setting.name}
            setting={setting}
            source={source}
            {...form.getInputProps(setting.name)}
            value={form.values[setting.name] ?? ""}
            isRemoved={form.values[setting.name] === null}
            onRemove={() => form.setFieldValue(setting.name, null)}
          />
        ))}
        <SaveAlert
          error={errors.unplaced}
          title={texts.notSaved}
          isStored={isHeld({ id, settings: valuesOf(settings) }, save.variables)}
        />
        <Group>
          <Button type="submit" loading={save.isPending} disabled={!form.isDirty()}>
            {texts.submit}
          </Button>
          {source === "operator" && (
            <Button variant="default" c="var(--mantine-color-error)" loading={clear.isPending} onClick={askToClear}>
              {texts.delete}
            </Button>
          )}
        </Group>
      </Stack>
    </form>
  );
}

function SettingInput({
  setting: { name, description, is_secret, is_required, standard, environment, is_set },
  source,
  isRemoved,
  onRemove,
  ...input
}: {
  setting: ProviderSetting;
  source: ProviderDetail["source"];
  isRemoved: boolean;
  onRemove: () => void;
} & ReturnType<ReturnType<typeof useForm<Values>>["getInputProps"]>) {
  const texts = providerTexts.settings;
  const hint = (
    <>
      {sentence(description)}
      {source !== "operator" && (
        <>
          {" "}
          (<span className="mono">{environment}</span>)
        </>
      )}
    </>
  );
  const common = {
    label: labelOf(name),
    description: hint,
    withAsterisk: is_required,
    autoComplete: "off",
    spellCheck: false,
  };
  if (!is_secret) return <TextInput {...common} placeholder={standard ?? undefined} {...input} />;
  const isRemovable = is_set && !is_required && !isRemoved;
  return (
    <Stack align="stretch" gap={4}>
      <PasswordInput
        {...common}
        autoComplete="new-password"
        placeholder={isRemoved ? texts.removedOnSave : is_set ? texts.setNotShown : undefined}
        {...input}
      />
      {isRemovable && (
        <Button
          variant="subtle"
          color="red"
          size="compact-xs"
          style={{ alignSelf: "flex-start" }}
          onClick={onRemove}
          aria-label={texts.removeNamed(labelOf(name))}
        >
          {texts.remove}
        </Button>
      )}
    </Stack>
  );
}
