/** The end of a pause: deliveries that it has parked are sent again. */
import { onCommit, pool, transaction } from "../../core/db";
import { errorFields, log } from "../../core/log";
import { runParts } from "../../retention/steps";
import { tellOwner } from "../store";
import { type Position, sendMissedAgain } from "./missed";

/** `generation` of the endpoint when the deliveries were read from the first one on; `pause`: what has parked them. */
type Release = { generation: number; pause: Date };

type Step = { release: Release; next: Position | null };
type InTurn = (step: () => Promise<Step | null>) => Promise<Step | null>;

const FIRST: Position = { createdAt: new Date(0), id: "" };

/** Steps of a thousand deliveries in the call that pauses, resumes or recovers; the rest is done later, by jobs or the sweep. */
export const STEPS_OF_A_CALL = 20;
/** Steps for each endpoint in a run of the sweep, so that millions of deliveries do not keep other endpoints waiting; the next run continues. */
const STEPS_OF_A_RUN = 100;

type Limits = {
  /** How many steps are made at most. */
  stepsMax: number;
  /** No step begins once it is aborted. */
  signal?: AbortSignal | undefined;
};

/**
 * Sends the deliveries again that the endpoint's pause has parked, oldest first, in steps that are transactions with
 * their jobs. Ends early if the endpoint is closed again: the next pause then counts as the same one. {@link
 * releaseInterrupted} sends what is left, even after a process has died.
 * @param options `inTurn`: runs each step, in the account's queue.
 */
export async function releaseParked(
  endpointId: string,
  { stepsMax, signal, inTurn = (step) => step() }: Limits & { inTurn?: InTurn },
): Promise<void> {
  let release: Release | null = null;
  let after: Position | null = FIRST;
  for (let steps = 0; steps < stepsMax && after !== null && !signal?.aborted; steps += 1) {
    const [former, position]: [Release | null, Position] = [release, after];
    const step = await inTurn(() => releaseStep(endpointId, former, position));
    if (step === null) return;
    ({ release, next: after } = step);
  }
}

/**
 * One step, under the endpoint's lock like every change of deliveries. An endpoint that was paused and resumed meanwhile has parked
 * deliveries anywhere: they are read from the first one on. After the last one the release is over.
 * @returns null: nothing is left to do.
 */
const releaseStep = (endpointId: string, former: Release | null, after: Position): Promise<Step | null> =>
  transaction(async (tx) => {
    const { rows } = await tx.query<Release>({
      name: "webhooks.lock_resumed_endpoint",
      text: `SELECT generation, resume_from AS pause FROM webhook_endpoints
             WHERE id = $1 AND is_active AND deleted_at IS NULL AND resume_from IS NOT NULL FOR NO KEY UPDATE`,
      values: [endpointId],
    });
    const [release] = rows;
    if (!release) return null;
    const position = former?.generation === release.generation ? after : FIRST;
    const { last } = await sendMissedAgain(tx, endpointId, position, release.pause);
    onCommit(tx, () => void tellOwner(endpointId));
    if (last) return { release, next: last };
    await tx.query({
      name: "webhooks.end_release",
      text: "UPDATE webhook_endpoints SET resume_from = NULL WHERE id = $1",
      values: [endpointId],
    });
    return { release, next: null };
  });

/** Continues releases that were left unfinished. One that fails does not keep the others from theirs. @throws the first failure. */
export async function releaseInterrupted({ stepsMax = STEPS_OF_A_RUN, signal }: Partial<Limits> = {}): Promise<void> {
  const { rows } = await pool().query<{ id: string }>({
    name: "webhooks.read_resumed_endpoints",
    text: `SELECT id FROM webhook_endpoints
           WHERE resume_from IS NOT NULL AND is_active AND deleted_at IS NULL ORDER BY id`,
  });
  await runParts(
    rows.map((row) => () => releaseParked(row.id, { stepsMax, signal })),
    (at, thrown) => log("warn", "webhooks.release_interrupted", { endpoint: rows[at]?.id, ...errorFields(thrown) }),
  );
}
