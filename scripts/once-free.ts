/** Next refuses to build while another build is running, and the build of a killed start runs on to its end. */
const IS_BUSY = /Another next build process is already running/;
const TRY_AGAIN_AFTER_MS = 1_000;

/** Builds the pages as soon as no other build is running. */
export async function onceFree(build: () => Promise<unknown>, pauseMs = TRY_AGAIN_AFTER_MS): Promise<void> {
  for (;;) {
    try {
      await build();
      return;
    } catch (thrown) {
      if (!IS_BUSY.test(String(thrown))) throw thrown;
      await new Promise((resolve) => setTimeout(resolve, pauseMs));
    }
  }
}
