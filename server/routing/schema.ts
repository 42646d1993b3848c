import { z } from "zod";
import { DateTime, wholeMicros } from "../core/wire";
import { PhoneNumber } from "../messages/schema";
import { PROVIDERS } from "../providers/schema";

const PRICE_MAX = 1_000;
const PRIORITY_MAX = 1_000;
const WEIGHT_DEFAULT = 100;

const isDistinct = (entries: readonly string[]): boolean => new Set(entries).size === entries.length;

const routeFields = {
  prefix: z.string().regex(/^([1-9]\d{0,14})?$/, "must be the leading digits of numbers, such as 49"),
  priority: z.number().int().min(-PRIORITY_MAX).max(PRIORITY_MAX),
  chain: z
    .array(z.enum(PROVIDERS, { error: ({ input }) => `no such provider: ${input}. Known: ${PROVIDERS.join(", ")}.` }))
    .min(1, "must name at least one provider")
    .max(PROVIDERS.length, "must not name a provider twice")
    .refine(isDistinct, "must not name a provider twice"),
  price: z
    .number()
    .min(0, "must not be negative")
    .max(PRICE_MAX)
    .check(wholeMicros)
    .describe("Price of one segment, in units of the account's currency."),
  weight: z.number().int().min(1).max(1_000),
  is_active: z.boolean(),
};

/** Operator: a row of the route table. */
export const OperatedRoute = z.object({
  id: z.number().int(),
  prefix: z.string(),
  priority: z.number().int(),
  chain: z.array(z.string()),
  price: z.number(),
  weight: z.number().int(),
  is_active: z.boolean(),
  created_at: DateTime,
});
export type OperatedRoute = z.output<typeof OperatedRoute>;

export const CreateRouteInput = z.object({
  ...routeFields,
  prefix: routeFields.prefix.default(""),
  priority: routeFields.priority.default(0),
  weight: routeFields.weight.default(WEIGHT_DEFAULT),
  is_active: routeFields.is_active.default(true),
});
export type CreateRouteInput = z.output<typeof CreateRouteInput>;

export const RoutePath = z.object({ id: z.number().int().min(1) });
export type RoutePath = z.output<typeof RoutePath>;

/** Omitted fields stay unchanged. */
export const UpdateRouteInput = z.object(routeFields).partial().extend(RoutePath.shape);
export type UpdateRouteInput = z.output<typeof UpdateRouteInput>;

export const SimulateRouteInput = z.object({
  to: PhoneNumber,
});
export type SimulateRouteInput = z.output<typeof SimulateRouteInput>;

/** A provider of a chain with its current state: messages go only to a `usable` one. */
const ChainLink = z.object({
  provider: z.string(),
  status: z.enum(["usable", "drained", "open", "not_configured"]),
});
export type ChainLink = z.output<typeof ChainLink>;

/** A route that a number matches. `share`: the share of such messages that take it, 0..1; `price`: of one segment. */
const SimulatedRoute = z.object({
  id: z.number().int(),
  prefix: z.string(),
  priority: z.number().int(),
  weight: z.number().int(),
  price: z.number(),
  share: z.number(),
  chain: z.array(ChainLink),
});
export type SimulatedRoute = z.output<typeof SimulatedRoute>;

/** Matching active routes by rank; those without any configured provider come last. */
export const RouteSimulation = z.object({ to: z.string(), routes: z.array(SimulatedRoute) });
export type RouteSimulation = z.output<typeof RouteSimulation>;
