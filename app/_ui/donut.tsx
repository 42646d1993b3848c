import { Text } from "@mantine/core";

const SIZE = 170;
const THICKNESS = 22;
const RADIUS = (SIZE - THICKNESS) / 2;
/** Degrees between two parts. */
const GAP = 2;
const NOTHING = "var(--mantine-color-default-border)";

type Part = { name: string; value: number; color: string };

const pointAt = (degrees: number): string => {
  const angle = ((degrees - 90) * Math.PI) / 180;
  return `${SIZE / 2 + RADIUS * Math.cos(angle)} ${SIZE / 2 + RADIUS * Math.sin(angle)}`;
};

/** Shares of a whole as a ring, with `children` in the middle. `label` is its accessible description. */
export function Donut({ label, parts, children }: { label: string; parts: readonly Part[]; children: string }) {
  const total = parts.reduce((sum, { value }) => sum + value, 0);
  const shown = parts.filter(({ value }) => value > 0);
  let from = 0;
  return (
    <div role="img" aria-label={label} style={{ position: "relative", width: SIZE, height: SIZE }}>
      <svg width={SIZE} height={SIZE} fill="none" strokeWidth={THICKNESS} aria-hidden="true">
        {shown.length <= 1 && (
          <circle
            cx={SIZE / 2}
            cy={SIZE / 2}
            r={RADIUS}
            stroke={shown[0] ? `var(--mantine-color-${shown[0].color.replace(".", "-")})` : NOTHING}
          />
        )}
        {shown.length > 1 &&
          shown.map(({ name, value, color }) => {
            const width = (value / total) * 360;
            const [start, end] = [from, from + Math.max(width - GAP, 0.5)];
            from += width;
            return (
              <path
                key={name}
                d={`M ${pointAt(start)} A ${RADIUS} ${RADIUS} 0 ${end - start > 180 ? 1 : 0} 1 ${pointAt(end)}`}
                stroke={`var(--mantine-color-${color.replace(".", "-")})`}
              />
            );
          })}
      </svg>
      <Text className="donut-label">{children}</Text>
    </div>
  );
}
