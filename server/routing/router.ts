import { z } from "zod";
import { operatorProcedure, router } from "../core/trpc";
import { createRoute, deleteRoute, listRoutes, updateRoute } from "./edit";
import {
  CreateRouteInput,
  OperatedRoute,
  RoutePath,
  RouteSimulation,
  SimulateRouteInput,
  UpdateRouteInput,
} from "./schema";
import { simulateRoute } from "./simulate";

/** Console only, for operators. */
export const routingRouter = router({
  list: operatorProcedure.output(z.array(OperatedRoute)).query(({ ctx }) => listRoutes(ctx.actor)),
  create: operatorProcedure
    .input(CreateRouteInput)
    .output(OperatedRoute)
    .mutation(({ ctx, input }) => createRoute(ctx.actor, input, ctx)),
  update: operatorProcedure
    .input(UpdateRouteInput)
    .output(OperatedRoute)
    .mutation(({ ctx, input }) => updateRoute(ctx.actor, input)),
  delete: operatorProcedure.input(RoutePath).mutation(({ ctx, input }) => deleteRoute(ctx.actor, input)),
  simulate: operatorProcedure
    .input(SimulateRouteInput)
    .output(RouteSimulation)
    .query(({ ctx, input }) => simulateRoute(ctx.actor, input)),
});
