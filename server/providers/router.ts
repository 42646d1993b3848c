import { z } from "zod";
import { operatorProcedure, router } from "../core/trpc";
import {
  DrainProviderInput,
  OperatedProvider,
  ProviderDetail,
  ProviderPath,
  ProviderTest,
  SaveProviderSettingsInput,
  TestProviderInput,
  ThrottleProviderInput,
} from "./operator-schema";
import { testProvider } from "./send-test";
import { closeBreaker, drainProvider, getProvider, listProviders, rotateReceiptUrl, throttleProvider } from "./service";
import { clearSettings, saveSettings } from "./stored-settings";

/** Console only, for operators. */
export const providersRouter = router({
  list: operatorProcedure.output(z.array(OperatedProvider)).query(({ ctx }) => listProviders(ctx.actor)),
  get: operatorProcedure
    .input(ProviderPath)
    .output(ProviderDetail)
    .query(({ ctx, input }) => getProvider(ctx.actor, input)),
  saveSettings: operatorProcedure
    .input(SaveProviderSettingsInput)
    .mutation(({ ctx, input }) => saveSettings(ctx.actor, input)),
  clearSettings: operatorProcedure.input(ProviderPath).mutation(({ ctx, input }) => clearSettings(ctx.actor, input)),
  drain: operatorProcedure
    .input(DrainProviderInput)
    .output(ProviderDetail)
    .mutation(({ ctx, input }) => drainProvider(ctx.actor, input)),
  throttle: operatorProcedure
    .input(ThrottleProviderInput)
    .output(ProviderDetail)
    .mutation(({ ctx, input }) => throttleProvider(ctx.actor, input)),
  closeBreaker: operatorProcedure
    .input(ProviderPath)
    .output(ProviderDetail)
    .mutation(({ ctx, input }) => closeBreaker(ctx.actor, input)),
  rotateReceiptUrl: operatorProcedure
    .input(ProviderPath)
    .output(ProviderDetail)
    .mutation(({ ctx, input }) => rotateReceiptUrl(ctx.actor, input)),
  test: operatorProcedure
    .input(TestProviderInput)
    .output(ProviderTest)
    .mutation(({ ctx, input }) => testProvider(ctx.actor, input)),
});
