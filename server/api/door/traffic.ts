/** Whether the API has something to do: pages start when it has not. */
import { defineProcessValue } from "../../core/process";

/** Longest time in milliseconds for which a page lets the API go first, so that pages come forward under any load. */
const YIELD_MAX_MS = 100;

const traffic = defineProcessValue("door.traffic", () => ({ requests: 0, idle: new Set<() => void>() }));

/** Notes a request of the API until it is answered. */
export async function asApiRequest(answering: Promise<void>): Promise<void> {
  const now = traffic();
  now.requests += 1;
  try {
    await answering;
  } finally {
    now.requests -= 1;
    if (now.requests === 0) for (const resume of now.idle) resume();
  }
}

/** Lets requests of the API go first: those under way, and those that have arrived and were not looked at yet. */
export async function letApiGoFirst(): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve));
  const { requests, idle } = traffic();
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
