import type { ComponentType, SVGProps } from "react";

export interface IconProps extends Omit<SVGProps<SVGSVGElement>, "stroke"> {
  /** Width and height in pixels; 24 unless given. */
  size?: number | string;
  /** Width of the lines on a grid of 24 by 24; 2 unless given. */
  stroke?: number | string;
}

/** A drawing in lines of the text's color. */
export type Icon = ComponentType<IconProps>;

/** The drawing of an icon: `d` is its SVG path on a grid of 24 by 24. Assistive technology ignores it unless told otherwise. */
export function Lines({ d, size = 24, stroke = 2, color = "currentColor", ...rest }: IconProps & { d: string }) {
  return (
    <svg
      xmlns="http://www.w3.org/2000/svg"
      width={size}
      height={size}
      viewBox="0 0 24 24"
      fill="none"
      stroke={color}
      strokeWidth={stroke}
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
      {...rest}
    >
      <path d={d} />
    </svg>
  );
}
