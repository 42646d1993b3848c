import { Group, Text } from "@mantine/core";
import { appTexts } from "@/app/_texts/app";

/** The logo and the name. */
export function Brand() {
  return (
    <Group gap={10} wrap="nowrap">
      <svg width={28} height={28} viewBox="0 0 32 32" aria-hidden="true">
        <rect width={32} height={32} rx={9} fill="var(--mantine-primary-color-filled)" />
        <path
          d="M10 8h12a4 4 0 0 1 4 4v6a4 4 0 0 1-4 4h-6.2L11 25.8c-.7.6-1.7.1-1.7-.8v-3.1A4 4 0 0 1 6 18v-6a4 4 0 0 1 4-4z"
          fill="#fff"
        />
        <path
          d="M11.5 15.2l3.2 3.1 6-6.1"
          fill="none"
          stroke="var(--mantine-primary-color-filled)"
          strokeWidth={2.4}
          strokeLinecap="round"
          strokeLinejoin="round"
        />
      </svg>
      <Text fw={650} fz="md" className="nowrap">
        {appTexts.product}
      </Text>
    </Group>
  );
}
