"use client";

import { Button, Card, Group, PasswordInput, Stack, Text, TextInput, Title } from "@mantine/core";
import { useForm } from "@mantine/form";
import { trpc } from "@/app/_trpc/client";
import { confirmAction } from "@/app/_ui/forms/confirm";
import { ErrorAlert } from "@/app/_ui/forms/error-alert";
import { useFormErrors } from "@/app/_ui/forms/use-form-errors";
import { toastDone, toastFailed } from "@/app/_ui/toast";
import { PROVIDER_NAMES } from "@/app/_ui/values/provider-name";
import type { ProviderDetail, ProviderSetting } from "@/server/providers/operator-schema";

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

/** Capitalises a description, unless it begins with a name such as `smpp://…`. */
const sentence = (text: string): string =>
  text.replace(/^[a-z]+ /, (word) => word.charAt(0).toUpperCase() + word.slice(1));

const ORIGINS = {
  environment: "These come from environment variables. Saving settings here replaces all of them.",
  operator: "Saved in the console. They replace the environment variables.",
} as const;

/** Credentials and settings of a provider. Secrets can be set or replaced, but are never shown. */
export function SettingsCard({ provider }: { provider: ProviderDetail }) {
  const { settings, source } = provider;
  return (
    <Card component="section" aria-labelledby="settings">
      <Stack gap="md">
        <Title order={2} size="h4" id="settings">
          Settings
        </Title>
        {settings.length === 0 ? (
          <Text size="sm" c="dimmed">
            No settings. The environment variable <span className="mono">SANDBOX</span> turns the sandbox on.
          </Text>
        ) : (
          <>
            <Text size="sm" c="dimmed">
              {source ? ORIGINS[source] : "Enter the credentials from the provider’s console."}
            </Text>
            <SettingsForm provider={provider} />
          </>
        )}
      </Stack>
    </Card>
  );
}

function SettingsForm({ provider: { id, settings, source } }: { provider: ProviderDetail }) {
  const utils = trpc.useUtils();
  const form = useForm<Values>({ mode: "controlled", initialValues: valuesOf(settings) });
  const errors = useFormErrors(form);

  /** Loads the stored settings into the form, which also empties the fields of secrets. */
  async function reload() {
    const fresh = await utils.operator.providers.get.fetch({ id }, { staleTime: 0 });
    form.setInitialValues(valuesOf(fresh.settings));
    form.setValues(valuesOf(fresh.settings));
    form.resetDirty(valuesOf(fresh.settings));
    await utils.operator.providers.list.invalidate();
  }
  const save = trpc.operator.providers.saveSettings.useMutation({
    onSuccess: () => {
      toastDone(`Settings of ${PROVIDER_NAMES[id]} saved`);
      return reload();
    },
    onError: errors.show,
  });
  const clear = trpc.operator.providers.clearSettings.useMutation({
    onSuccess: () => {
      toastDone(`Settings of ${PROVIDER_NAMES[id]} deleted`);
      return reload();
    },
    onError: toastFailed,
  });
  const submit = form.onSubmit((values) => {
    errors.clear();
    save.mutate({ id, settings: values });
  });
  const askToClear = () =>
    confirmAction({
      title: "Delete the saved settings?",
      children: `${PROVIDER_NAMES[id]} falls back to its environment variables, if there are any. Secrets saved here are lost.`,
      confirmLabel: "Delete settings",
      onConfirm: () => clear.mutate({ id }),
    });

  return (
    <form onSubmit={submit} noValidate autoComplete="off" aria-label="Provider settings">
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
        <ErrorAlert error={errors.unplaced} title="The settings were not saved" />
        <Group>
          <Button type="submit" loading={save.isPending} disabled={!form.isDirty()}>
            Save settings
          </Button>
          {source === "operator" && (
            <Button variant="default" c="var(--mantine-color-error)" loading={clear.isPending} onClick={askToClear}>
              Delete settings
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
        placeholder={isRemoved ? "Removed when you save" : is_set ? "Set, not shown" : undefined}
        {...input}
      />
      {isRemovable && (
        <Button
          variant="subtle"
          color="red"
          size="compact-xs"
          style={{ alignSelf: "flex-start" }}
          onClick={onRemove}
          aria-label={`Remove ${labelOf(name)}`}
        >
          Remove
        </Button>
      )}
    </Stack>
  );
}
