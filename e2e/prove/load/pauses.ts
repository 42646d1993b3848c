/** Customers who pause an endpoint for a while, as during a deployment, and resume it. */
import { between, type Chance, oneOf } from "../faults/chance";
import { exchange } from "../world/exchange";
import { type Caller, note, untilAnswered } from "./sends";

type PauseOrder = Caller & { chance: Chance };

const PAUSED_MS = { least: 200, most: 4_000 };

/** Pauses one endpoint of a customer and resumes it; each request is repeated until it has a response. */
export async function pauseForAWhile({ customer, chance, urlAt, turn, answers }: PauseOrder): Promise<void> {
  const { id } = oneOf(chance, customer.endpoints);
  const ask = (what: "pause" | "resume") =>
    untilAnswered(async (at) => {
      const url = `${urlAt(turn + at)}/api/v1/webhooks/${id}/${what}`;
      const answer = await exchange({ method: "POST", url, apiKey: customer.apiKey, body: "{}" });
      note(answers, what, answer);
      return answer;
    });
  await ask("pause");
  await new Promise((resolve) => setTimeout(resolve, between(chance, PAUSED_MS.least, PAUSED_MS.most)));
  await ask("resume");
}
