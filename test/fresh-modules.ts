/**
 * Test files share processes, which saves starting one and loading the libraries for each. So that they share nothing else, every
 * file gets its own copy of the project's modules, no process values (`defineProcessValue`), and the initial environment.
 */
import { vi } from "vitest";
import { REGISTRY } from "./database/simulated-workers";

type Shared = { [key: symbol]: unknown };

const START = Symbol.for("test.environment-at-start");

const shared = globalThis as Shared;
shared[START] ??= { ...process.env };
const start = shared[START] as NodeJS.ProcessEnv;
for (const name of Object.keys(process.env)) if (!(name in start)) delete process.env[name];
Object.assign(process.env, start);
delete shared[REGISTRY];
vi.useRealTimers();
vi.unstubAllGlobals();
vi.restoreAllMocks();
vi.resetModules();
