/** Tracks whether the API is busy: pages are rendered while it is idle. */
import { defineProcessValue } from "../../core/process";

/** Longest time in milliseconds for which a page waits for the API, so that pages are rendered under any load. */
const YIELD_MAX_MS = 100;

const apiRequests = defineProcessValue("door.api-first", () => ({ requests: 0, idle: new Set<() => void>() }));

/** Counts a request of the API until its response is written. */
export async function asApiRequest(answering: Promise<void>): Promise<void> {
  const now = apiRequests();
  now.requests += 1;
  try {
    await answering;
  } finally {
    now.requests -= 1;
    if (now.requests === 0) for (const resume of now.idle) resume();
  }
}

/** Lets requests of the API go first: those in progress, and those that have arrived but are not handled yet. */
export async function letApiGoFirst(): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve));
  const { requests, idle } = apiRequests();
  if (requests === 0) return;
  await new Promise<void>((resolve) => {
    const resume = () => {
      clearTimeout(timer);
      idle.delete(resume);
      resolve();
    };
    const timer = setTimeout(resume, YIELD_MAX_MS);
    idle.add(resume);
  });
}
