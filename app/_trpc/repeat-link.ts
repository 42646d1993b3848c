import type { TRPCLink } from "@trpc/client";
import { observable } from "@trpc/server/observable";
import type { AppRouter } from "@/server/api/router";

/** How often a call is repeated: the session may have ended, and the password may have to be confirmed. */
const REPEATS = 2;

/**
 * Repeats a call that was refused because there was no session or no confirmed password, after the person has signed in or
 * confirmed it. Nothing of such a call was carried out. A call that its page has abandoned meanwhile is not repeated, because
 * nobody would end it.
 * @param satisfy has the person do what a refused call requires, and resolves to whether the call may be repeated.
 */
export const repeatOnceSatisfied =
  (satisfy: (error: unknown) => Promise<boolean>): TRPCLink<AppRouter> =>
  () =>
  ({ next, op }) =>
    observable((observer) => {
      let isGivenUp = false;
      const ask = (repeats: number) =>
        next(op).subscribe({
          next: (value) => observer.next(value),
          complete: () => observer.complete(),
          error: async (error) => {
            const mayRepeat = repeats > 0 && (await satisfy(error));
            if (isGivenUp) return;
            if (mayRepeat) running = ask(repeats - 1);
            else observer.error(error);
          },
        });
      let running = ask(REPEATS);
      return () => {
        isGivenUp = true;
        running.unsubscribe();
      };
    });
